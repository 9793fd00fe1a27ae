"""An object store's address, and what is said of a wrong one."""

from __future__ import annotations

import pytest

from proxy.settings.bucket_address import BucketAddress, bucket_address


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("s3://bucket", BucketAddress("bucket")),
        ("s3://bucket/", BucketAddress("bucket")),
        ("s3://my.bucket-1/a/b_c/", BucketAddress("my.bucket-1", "a/b_c")),
        ("s3://bucket/p?region=eu-west-1", BucketAddress("bucket", "p", region="eu-west-1")),
        ("s3://bucket?endpoint=http://h:9000/", BucketAddress("bucket", endpoint="http://h:9000")),
        ("s3://bucket?endpoint=https%3A%2F%2Fh", BucketAddress("bucket", endpoint="https://h")),
        ("s3://bucket?path_style=false", BucketAddress("bucket", path_style=False)),
        ("s3://bucket?path_style=true", BucketAddress("bucket", path_style=True)),
    ],
)
def test_an_address_is_taken_apart(url: str, address: BucketAddress) -> None:
    assert bucket_address(url) == address


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("s3://", "is no bucket's name; use 3 to 63 of a-z 0-9"),
        ("s3:///prefix", "is no bucket's name"),
        ("s3://Bucket", "'Bucket' is no bucket's name"),
        ("s3://host:9000/bucket", "and \\?endpoint= for a host"),
        ("s3://bucket/a//b", "no plain prefix"),
        ("s3://bucket/../b", "no plain prefix"),
        ("s3://bucket/a b", "no plain prefix"),
        ("s3://bucket/a#b", "no plain prefix"),
        ("s3://bucket?secret=x", "'secret' that is not known; known are endpoint, region, path_style"),
        ("s3://bucket?region=", "gives region no value"),
        ("s3://bucket?region=a&region=b", "gives an option twice"),
        ("s3://bucket?endpoint=h:9000", "such as endpoint=https://host:9000"),
        ("s3://bucket?endpoint=http://u:p@h", "no plain address"),
        ("s3://bucket?endpoint=http://h:x", "no plain address"),
        ("s3://bucket?path_style=yes", "give true or false"),
        ("s3://[bucket", "is no address"),
    ],
)
def test_a_wrong_address_is_told_with_its_remedy(url: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bucket_address(url)


def test_credentials_in_an_address_are_refused_and_not_repeated() -> None:
    with pytest.raises(ValueError, match="AWS_SECRET_ACCESS_KEY") as caught:
        bucket_address("s3://id:hunter2@bucket")
    assert "hunter2" not in str(caught.value)
