// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/progress"
)

// buildFunc is the type of an artifact's build function.
type buildFunc = func(context.Context, string, func(string, ...any)) error

// artifactOf returns an artifact whose build is counted and writes a file with its
// number.
func artifactOf(builds *atomic.Int32, build buildFunc) artifact {
	return artifact{name: "a", key: "k", what: "the artifact", build: func(ctx context.Context, dir string, update func(string, ...any)) error {
		n := builds.Add(1)
		if err := os.WriteFile(filepath.Join(dir, "built"), []byte{byte('0' + n)}, 0o600); err != nil {
			return err
		}
		return build(ctx, dir, update)
	}}
}

func fine(context.Context, string, func(string, ...any)) error { return nil }

func TestCacheKeepsAFinishedArtifact(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	c := cache{dir: filepath.Join(t.TempDir(), "new"), reporter: progress.New(&out)}
	var builds atomic.Int32
	first, err := c.get(t.Context(), artifactOf(&builds, fine))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(first).To(Equal(filepath.Join(c.dir, "a-k")))
	g.Expect(out.String()).To(HavePrefix(" • the artifact ..."))
	out.Reset()
	g.Expect(c.get(t.Context(), artifactOf(&builds, fine))).To(Equal(first))
	g.Expect(builds.Load()).To(BeEquivalentTo(1))
	g.Expect(out.String()).To(BeEmpty())
	other := artifactOf(&builds, fine)
	other.key = "l"
	g.Expect(c.get(t.Context(), other)).NotTo(Equal(first))
	g.Expect(builds.Load()).To(BeEquivalentTo(2), "another key is another artifact")
}

func TestCacheRemovesAnInterruptedArtifact(t *testing.T) {
	for name, test := range map[string]struct {
		interrupt func(cancel func()) error
		want      string
	}{
		"by an error":    {func(func()) error { return errors.New("no space left") }, "the artifact: no space left"},
		"by its context": {func(cancel func()) error { cancel(); return context.Canceled }, "the artifact: context canceled"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c := cache{dir: t.TempDir()}
			var builds atomic.Int32
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			_, err := c.get(ctx, artifactOf(&builds, func(context.Context, string, func(string, ...any)) error { return test.interrupt(cancel) }))
			g.Expect(err).To(MatchError(test.want))
			g.Expect(filepath.Join(c.dir, "a-k")).NotTo(BeADirectory())

			a := artifact{name: "a", key: "k", build: func(_ context.Context, dir string, _ func(string, ...any)) error {
				entries, err := os.ReadDir(dir)
				g.Expect(entries).To(BeEmpty(), "the folder is empty")
				return err
			}}
			dir, err := c.get(t.Context(), a)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(dir).To(BeADirectory())
		})
	}
}

func TestCacheBuildsOnceForConcurrentCalls(t *testing.T) {
	g := NewWithT(t)
	c := cache{dir: t.TempDir()}
	var builds atomic.Int32
	building, finish := make(chan struct{}), make(chan struct{})
	a := artifactOf(&builds, func(context.Context, string, func(string, ...any)) error {
		close(building)
		<-finish
		return nil
	})
	var all sync.WaitGroup
	get := func() {
		dir, err := c.get(t.Context(), a)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(os.ReadFile(filepath.Join(dir, "built"))).To(Equal([]byte("1")))
	}
	all.Go(get)
	<-building
	for range 3 {
		all.Go(get)
	}
	close(finish)
	all.Wait()
	g.Expect(builds.Load()).To(BeEquivalentTo(1))
}

// waiting is a context that reports calls of Done.
type waiting struct {
	context.Context
	begun func()
}

func (w waiting) Done() <-chan struct{} {
	w.begun()
	return w.Context.Done()
}

func TestCacheUsesTheArtifactOfAnotherProcess(t *testing.T) {
	g := NewWithT(t)
	c := cache{dir: t.TempDir()}
	var builds atomic.Int32
	a := artifactOf(&builds, fine)
	unlock, err := c.lock(t.Context(), a)
	g.Expect(err).NotTo(HaveOccurred())
	begun, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		ctx := waiting{t.Context(), sync.OnceFunc(func() { close(begun) })}
		dir, err := c.get(ctx, a)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(dir).To(BeADirectory())
	}()
	<-begun
	g.Expect(os.Mkdir(filepath.Join(c.dir, "a-k"), 0o755)).To(Succeed())
	unlock()
	<-done
	g.Expect(builds.Load()).To(BeZero())
}

func TestCacheWaitsForTheLockUntilItsContextEnds(t *testing.T) {
	g := NewWithT(t)
	c := cache{dir: t.TempDir()}
	var builds atomic.Int32
	a := artifactOf(&builds, fine)
	unlock, err := c.lock(t.Context(), a)
	g.Expect(err).NotTo(HaveOccurred())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = c.get(ctx, a)
	g.Expect(err).To(MatchError(And(HavePrefix("wait for the lock "+c.dir), HaveSuffix("context canceled"))))
	g.Expect(builds.Load()).To(BeZero())
	unlock()
	_, err = c.get(t.Context(), a)
	g.Expect(err).NotTo(HaveOccurred(), "the lock is released")
}

func TestDefaultCacheDir(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", "/home/user/.cache")
	NewWithT(t).Expect(DefaultCacheDir()).To(Equal("/home/user/.cache/draconform/node-image"))
}

func TestRowsAreBuiltInParallel(t *testing.T) {
	g := NewWithT(t)
	c := cache{dir: t.TempDir()}
	begun := make(chan struct{})
	var first atomic.Bool
	built, err := c.all(t.Context(), []artifact{
		{name: "one", key: "k", build: func(ctx context.Context, _ string, _ func(string, ...any)) error {
			select {
			case <-begun: // by an artifact of the other row
				first.Store(true)
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}},
		{name: "two", key: "k", build: func(context.Context, string, func(string, ...any)) error {
			if !first.Load() {
				return errors.New("the artifact before it has not ended")
			}
			return nil
		}},
	}, []artifact{{name: "parallel", key: "k", build: func(context.Context, string, func(string, ...any)) error {
		close(begun)
		return nil
	}}})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(built).To(Equal(map[string]string{
		"one": filepath.Join(c.dir, "one-k"), "two": filepath.Join(c.dir, "two-k"), "parallel": filepath.Join(c.dir, "parallel-k"),
	}))
}

func TestFailedBuildCancelsOthers(t *testing.T) {
	g := NewWithT(t)
	c, failed := cache{dir: t.TempDir()}, errors.New("no space left on device")
	never := func(context.Context, string, func(string, ...any)) error { return errors.New("begun") }
	waits := func(ctx context.Context, _ string, _ func(string, ...any)) error { <-ctx.Done(); return ctx.Err() }
	_, err := c.all(t.Context(),
		[]artifact{{name: "fails", key: "k", build: func(context.Context, string, func(string, ...any)) error { return failed }}, {name: "never", key: "k", build: never}},
		[]artifact{{name: "waits", key: "k", build: waits}},
	)
	g.Expect(err).To(MatchError(failed))
	g.Expect(filepath.Glob(filepath.Join(c.dir, "*-k"))).To(BeEmpty(), "no artifact is finished")
}
