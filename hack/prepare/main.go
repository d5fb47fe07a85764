// Command prepare compiles the draconform command into bin and, while that goes
// on, finds the container engine, or installs and starts one. It needs the
// standard library only, so that a bare machine shows within seconds what goes
// on.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/draconform/draconform/clusters/progress"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// run builds the engine command first: it is small, and what it starts takes its
// time beside the compilers.
func run(ctx context.Context) error {
	p := preparation{reporter: progress.New(os.Stdout), bin: "bin"}
	if err := p.compile(ctx, "the set-up of the container engine", "./hack/engine"); err != nil {
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
	if err := p.compile(ctx, "draconform", "./e2e/cmd/draconform"); err != nil {
		cancel(err)
	}
	<-ensured
	return context.Cause(ctx) // what failed first
}
