"""Tables: reading, encoding, the engines that hold rows, writing."""
