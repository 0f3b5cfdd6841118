"""OWL 2 RL as pure functions over a narrow quad source. Knows nothing of memory, people or stores."""
