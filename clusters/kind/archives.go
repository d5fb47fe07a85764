// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/clusters/skew"
)

// archives are the image archives that are loaded into a cluster's nodes. They
// are built while the cluster is created, because most of its creation is
// waiting.
type archives struct {
	dir   string
	start func()        // starts the build once
	built chan struct{} // closed when all archives are built or one failed
	err   error         // valid after built is closed
}

// archivesOf prepares the builds of the scheduler's image, unless the cluster
// uses kube-scheduler, and of the images of the options. If a build fails, it
// cancels the context.
func (p *Provider) archivesOf(ctx context.Context, cancel context.CancelCauseFunc) (*archives, error) {
	// Return the error before a node image is compiled, which takes minutes.
	if err := images.CheckSource(ctx, p.wanted()...); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "draconform-images-")
	if err != nil {
		return nil, err
	}
	a := &archives{dir: dir, built: make(chan struct{})}
	a.start = sync.OnceFunc(func() {
		go func() {
			defer close(a.built)
			a.err = p.buildArchives(ctx, a)
			if a.err != nil {
				cancel(a.err)
			}
		}()
	})
	return a, nil
}

func (a *archives) scheduler() string { return filepath.Join(a.dir, "scheduler.tar") }
func (a *archives) images() string    { return filepath.Join(a.dir, "images.tar") }

// wait starts the builds if necessary and waits until all of them are finished.
func (a *archives) wait(ctx context.Context) error {
	a.start()
	select {
	case <-a.built:
		return a.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// remove removes the archives. The context of the builds must have been
// cancelled.
func (a *archives) remove() {
	a.start() // without a start, the channel is never closed
	<-a.built
	_ = os.RemoveAll(a.dir)
}

// wanted returns the images that are built for the cluster.
func (p *Provider) wanted() []images.Image {
	all := slices.Clone(p.options.Images)
	if p.options.Scheduler != skew.KubeScheduler {
		all = append(all, images.Scheduler)
	}
	return all
}

func (p *Provider) buildArchives(ctx context.Context, a *archives) error {
	if p.options.Scheduler != skew.KubeScheduler {
		if err := p.buildArchive(ctx, "image of the scheduler", a.scheduler(), images.Scheduler); err != nil {
			return err
		}
	}
	if len(p.options.Images) == 0 {
		return nil
	}
	return p.buildArchive(ctx, "images of the suite", a.images(), p.options.Images...)
}

func (p *Provider) buildArchive(ctx context.Context, what, archive string, list ...images.Image) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	task := p.options.Progress.Task("%s", what)
	if err := images.WriteArchive(ctx, archive, task.Update, list...); err != nil {
		return task.Fail(err)
	}
	task.Done("built")
	return nil
}
