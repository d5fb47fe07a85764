// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Command allocate allocates devices for the scheduler of a fake cluster in a process of
// its own. It is built with faults, of which the environment selects one.
package main

import (
	"fmt"
	"os"

	"github.com/draconform/draconform/e2e/internal/allocation"
)

func main() {
	if err := allocation.Serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "allocate:", err)
		os.Exit(1)
	}
}
