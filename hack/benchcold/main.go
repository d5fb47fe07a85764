// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Command benchcold measures the first run of "make e2e": in a throw-away
// Debian with only git, make and the Go toolchain, with an empty home and
// without a container engine. For comparison it also measures a yardstick: one
// plain "go build" of Kubernetes' seven commands from empty caches. The
// differences between machines are larger than the effect of any change to this
// project.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"time"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/hack/internal/command"
	"github.com/draconform/draconform/hack/internal/measure"
)

func main() { command.Main(benchmark) }

// options are the command line flags.
type options struct {
	rounds    int
	dir, out  string
	kept      string
	goOn      bool
	labels    string
	yardstick bool
}

func parse(args []string, out io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("benchcold", flag.ContinueOnError)
	f.SetOutput(out)
	f.IntVar(&o.rounds, "rounds", 3, "number of measurements, each in its own root")
	f.StringVar(&o.dir, "dir", "/var/tmp", "folder for the throw-away roots, on a disk with 20 GiB free")
	f.StringVar(&o.out, "out", "docs/performance.md", "page whose part about bare machines is replaced")
	f.StringVar(&o.kept, "kept", "bin/bench-cold.json", "file that keeps the finished rounds")
	f.BoolVar(&o.goOn, "continue", false, "add to the rounds that were kept, if they are of the same commit and machine")
	f.StringVar(&o.labels, "labels", "", "label expression that chooses the specs; empty runs all")
	f.BoolVar(&o.yardstick, "yardstick", true, "build Kubernetes' commands for comparison")
	if err := command.Parse(f, args); err != nil {
		return o, err
	}
	if o.rounds < 1 {
		return o, fmt.Errorf("%w: --rounds must be at least 1, not %d", command.ErrUsage, o.rounds)
	}
	return o, nil
}

func benchmark(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args, out)
	if err != nil {
		return err
	}
	if err := ready(ctx); err != nil {
		return err
	}
	m, err := measure.DescribeMachine(ctx)
	if err != nil {
		return err
	}
	reporter := progress.New(out)
	kept := measurement{Machine: m}
	if o.goOn {
		if kept, err = read(o.kept, m); err != nil {
			return err
		}
	}
	for i := len(kept.Rounds); i < o.rounds; i++ {
		reporter.Printf("round %d of %d", i+1, o.rounds)
		r, err := oneRound(ctx, o, reporter)
		if err != nil {
			return fmt.Errorf("round %d: %w", i+1, err)
		}
		kept.Rounds = append(kept.Rounds, r)
		// Write both after each round, so that an interruption loses at most
		// one round.
		if err := errors.Join(kept.write(o.kept), document(m, kept.Rounds).Write(o.out)); err != nil {
			return err
		}
	}
	reporter.Printf("written: %s", o.out)
	return nil
}

// ready returns an error if this machine does not meet the requirements of a
// measurement.
func ready(ctx context.Context) error {
	if os.Geteuid() != 0 {
		return errors.New("a throw-away root needs root: run this as root")
	}
	if _, err := exec.LookPath("mmdebstrap"); err != nil {
		return errors.New("a throw-away root needs mmdebstrap: apt-get install mmdebstrap")
	}
	// Two engines would configure the same network.
	dialer := net.Dialer{Timeout: time.Second}
	if conn, err := dialer.DialContext(ctx, "unix", "/var/run/docker.sock"); err == nil {
		_ = conn.Close()
		return errors.New("a Docker engine runs on this machine, but the measured run starts its own: stop it first (make engine-stop stops the one that draconform started)")
	}
	return nil
}
