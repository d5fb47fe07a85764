// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Command goreleaser checks configurations of GoReleaser: that they can be
// decoded, and have no unknown fields. It uses GoReleaser's own package for
// that. All of GoReleaser has the clients of many clouds, and takes too long to
// compile for a check.
package main

import (
	"fmt"
	"os"

	"github.com/goreleaser/goreleaser/v2/pkg/config"
)

func main() {
	failed := len(os.Args) < 2
	for _, path := range os.Args[1:] {
		if _, err := config.Load(path); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %s\n", path, err)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}
