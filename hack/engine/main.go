// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Command engine ensures that a container engine runs. It uses a running
// engine. If there is none, and it runs as root on Debian or Ubuntu, it
// installs Docker and starts it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"

	"github.com/draconform/draconform/clusters/progress"
)

const usage = `usage: engine [ensure|stop|status]

  ensure   use the engine that answers; where none does, as root on Debian or Ubuntu, install and start Docker (default)
  stop     stop the Docker that ensure started, and no other
  status   say which engine answers

Environment:
  DRACONFORM_ENGINE  docker or podman: take this one only
  DRACONFORM_STATE   where our state lives, below it the folder engine (default /var/lib/draconform)
`

// errUsage is returned if the command line is invalid.
var errUsage = errors.New("usage")

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, unix.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	cancel()
	switch {
	case errors.Is(err, errUsage):
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	command, err := parse(args)
	if err != nil {
		return err
	}
	if command == "help" {
		_, err := fmt.Fprint(out, usage)
		return err
	}
	if err := addSystemPath(); err != nil {
		return err
	}
	s := setup{
		Reporter: progress.New(out),
		files:    stateFiles(os.Getenv("DRACONFORM_STATE")),
		docker:   dockerDefaults,
		proc:     "/proc",
	}
	switch command {
	case "stop":
		return s.stop(ctx)
	case "status":
		return s.status(ctx)
	}
	return s.ensure(ctx)
}

// parse returns the command in the arguments.
func parse(args []string) (string, error) {
	if len(args) == 0 {
		return "ensure", nil
	}
	if len(args) > 1 {
		return "", errUsage
	}
	switch args[0] {
	case "ensure", "stop", "status":
		return args[0], nil
	case "help", "-h", "-help", "--help":
		return "help", nil
	}
	return "", errUsage
}
