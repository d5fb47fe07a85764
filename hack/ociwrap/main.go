// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Command ociwrap is an OCI runtime that calls runc with only the capabilities
// that this host grants.
//
// Container engines give a privileged container every capability that they
// know. If the host withholds one from its own processes, runc fails with
// "unable to apply caps: operation not permitted", both when it creates the
// container and when it executes a process in it. ociwrap is registered as the
// engine's runtime. It removes the withheld capabilities from the container's
// configuration and then executes runc.
package main

import (
	"fmt"
	"os"
	"os/exec"

	"golang.org/x/sys/unix"

	"github.com/draconform/draconform/clusters/engine/caps"
)

// runc is the path of runc. The linker sets it (-X main.runc=...). If it is
// empty, runc is looked up in PATH.
var runc string

func main() {
	if err := run(os.Args); err != nil {
		fmt.Fprintln(os.Stderr, "ociwrap:", err)
		os.Exit(1)
	}
}

// run only returns if runc could not be executed.
func run(argv []string) error {
	path := runc
	if path == "" {
		found, err := exec.LookPath("runc")
		if err != nil {
			return fmt.Errorf("find runc: %w", err)
		}
		path = found
	}
	if file, kind := subject(argv[1:]); file != "" {
		granted, err := caps.Bounding()
		if err != nil {
			return err
		}
		if err := restrictFile(file, kind, granted); err != nil {
			return err
		}
	}
	argv = append([]string{path}, argv[1:]...)
	if err := unix.Exec(path, argv, os.Environ()); err != nil {
		return fmt.Errorf("exec %s: %w", path, err)
	}
	return nil
}
