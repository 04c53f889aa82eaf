"""What happens inside a job: its stage, its log and progress, the instructions and the device it computes with."""
