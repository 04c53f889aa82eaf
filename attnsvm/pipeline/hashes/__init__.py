"""What code does, as hashes, found from its text: a job runs again where what it runs has changed."""
