// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Command prepare compiles the draconform command into bin. In parallel it
// finds a container engine, or installs and starts one, unless none is needed. It
// only needs the standard library, so that it shows progress within seconds on a new
// machine.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/draconform/draconform/clusters/progress"
)

// Goals of --until.
const (
	untilSpec    = "spec"
	untilVerdict = "verdict"
)

func main() {
	until := flag.String("until", "", "print an estimate until this goal: spec, the first of some specs; verdict, that of all specs; default none")
	engine := flag.Bool("engine", true, "find a container engine, or install and start one")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *until, *engine)
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// run builds the engine command first: it is small, and the set-up of the
// engine can then run in parallel with the compilation.
func run(ctx context.Context, until string, engine bool) error {
	if until != "" && until != untilSpec && until != untilVerdict {
		return fmt.Errorf("--until %q is not known, use %s or %s", until, untilSpec, untilVerdict)
	}
	p := preparation{reporter: progress.New(os.Stdout), bin: "bin"}
	if !engine {
		return p.compile(ctx, draconform, "draconform", "./e2e/cmd/draconform")
	}
	if until != "" {
		p.expect(until == untilVerdict)
	}
	if err := p.compile(ctx, "", "the set-up of the container engine", "./hack/engine"); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ensured := make(chan struct{})
	go func() {
		defer close(ensured)
		if err := p.ensureEngine(ctx); err != nil {
			cancel(err)
		}
	}()
	err := p.compile(ctx, draconform, "draconform", "./e2e/cmd/draconform")
	<-ensured // an interrupted installation of packages would have to be repaired
	if err != nil {
		cancel(err)
	}
	return context.Cause(ctx) // the first error
}

// draconform is the name of the compiled command and of its task in the
// estimate.
const draconform = "draconform"

// expect sets the goals of the estimate. It leaves out tasks whose results this
// machine already has.
func (p preparation) expect(verdict bool) {
	var tasks []progress.ExpectedTask
	// A machine that has run before without building a node image has a registry.
	if _, err := os.Stat(filepath.Join(p.bin, draconform)); err != nil {
		tasks = append(tasks, progress.ExpectedTask{Name: draconform})
		if !p.hasNodeImage() {
			for _, name := range []string{"kubernetes", "runtime", "layers", "load"} {
				tasks = append(tasks, progress.ExpectedTask{Name: name})
			}
			p.reporter.Printf("   compiled first: draconform, and a node image of Kubernetes if no registry has one; this needs 15 GiB of disk")
		}
	}
	goals := []progress.Goal{{What: "the first spec", Tasks: append(tasks, progress.ExpectedTask{Name: "cluster"})}}
	if verdict {
		goals = append(goals, progress.Goal{What: "the verdict", Tasks: []progress.ExpectedTask{{Name: "all specs"}}})
	}
	p.reporter.Expect(goals...)
}

// hasNodeImage reports whether this machine has built a node image of any
// release.
func (p preparation) hasNodeImage() bool {
	dir, err := os.UserCacheDir()
	if err != nil {
		return false
	}
	layers, err := filepath.Glob(filepath.Join(dir, "draconform", "node-image", "layers-*[0-9a-f]"))
	return err == nil && len(layers) > 0
}
