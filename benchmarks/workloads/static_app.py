"""The least that a Textual application can be: one widget that never changes but for its text at a key."""

from __future__ import annotations

from textual import events
from textual.app import App, ComposeResult
from textual.widgets import Static


class StaticApp(App[None]):
    def compose(self) -> ComposeResult:
        yield Static("ready")

    def on_key(self, event: events.Key) -> None:
        if event.key == "q":
            self.exit()
        self.query_one(Static).update(f"key {event.time}")


if __name__ == "__main__":
    StaticApp().run()
