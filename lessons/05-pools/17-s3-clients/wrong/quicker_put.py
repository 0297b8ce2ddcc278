"""put no longer waits for the network, which the exercise says to leave as it is.

Breaks: Leave this function as it is.
Fault: put should be left as it is
"""


async def put(s3: Any, key: str, image: bytes) -> str:
    """Store one image; return the checksum that S3 reports. Leave this function as it is."""
    stored = await s3.put_object(Bucket=BUCKET, Key=key, Body=image)
    return str(stored["ETag"]).strip('"')
