// Command prepare compiles the draconform command into bin and, while that goes
// on, finds the container engine, or installs and starts one. It needs the
// standard library only, so that a bare machine shows within seconds what goes
// on.
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

func main() {
	until := flag.String("until", "", "what is done next, to tell how long it takes: spec, a run of some specs; verdict, one of all of them; else nothing is told")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *until)
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// run builds the engine command first: it is small, and what it starts takes its
// time beside the compilers.
func run(ctx context.Context, until string) error {
	p := preparation{reporter: progress.New(os.Stdout), bin: "bin"}
	if until != "" {
		p.expect(until == "verdict")
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
	if err := p.compile(ctx, draconform, "draconform", "./e2e/cmd/draconform"); err != nil {
		cancel(err)
	}
	<-ensured
	return context.Cause(ctx) // what failed first
}

// draconform is the command that is compiled, and its part of a run's time.
const draconform = "draconform"

// expect says about how long a run takes, by what this machine has been seen to
// have already.
func (p preparation) expect(verdict bool) {
	var parts []progress.Part
	if _, err := os.Stat(filepath.Join(p.bin, draconform)); err != nil {
		parts = append(parts, progress.Part{Name: draconform})
	}
	if !p.hasNodeImage() {
		for _, name := range []string{"kubernetes", "runtime", "layers", "load"} {
			parts = append(parts, progress.Part{Name: name})
		}
		p.reporter.Printf("   compiled first: draconform, and a node image of Kubernetes where no registry has one; 15 GiB of disk are needed")
	}
	goals := []progress.Goal{{What: "the first spec", Parts: append(parts, progress.Part{Name: "cluster"})}}
	if verdict {
		goals = append(goals, progress.Goal{What: "the verdict", Parts: []progress.Part{{Name: "all specs"}}})
	}
	p.reporter.Expect(goals...)
}

// hasNodeImage reports whether a node image has been built here before, of this
// release or another one.
func (p preparation) hasNodeImage() bool {
	dir, err := os.UserCacheDir()
	if err != nil {
		return false
	}
	layers, err := filepath.Glob(filepath.Join(dir, "draconform", "node-image", "layers-*[0-9a-f]"))
	return err == nil && len(layers) > 0
}
