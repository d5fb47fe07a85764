// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"context"
	"sync"
)

// loading is the loading of images into the nodes of a new cluster. It starts while the
// cluster is created, as soon as the nodes can load images.
type loading struct {
	start func()        // starts it once
	done  chan struct{} // closed when it has ended
	err   error         // valid after done is closed
}

// loadingOf prepares to load the images of archives, which may not be built yet.
func (p *Provider) loadingOf(ctx context.Context, a *archives) *loading {
	l := &loading{done: make(chan struct{})}
	l.start = sync.OnceFunc(func() {
		go func() {
			defer close(l.done)
			if l.err = a.wait(ctx); l.err == nil {
				l.err = p.loadImages(ctx, a)
			}
		}()
	})
	return l
}

// wait starts the loading if necessary and waits until it has ended.
func (l *loading) wait(ctx context.Context) error {
	l.start()
	select {
	case <-l.done:
		return l.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// end waits until nothing is loaded any more. The context of the loading must have been
// cancelled.
func (l *loading) end() {
	l.start() // without a start, the channel is never closed
	<-l.done
}

// loadImages loads the images of the options into all nodes.
func (p *Provider) loadImages(ctx context.Context, a *archives) error {
	if len(p.options.Images) == 0 || ctx.Err() != nil {
		return context.Cause(ctx)
	}
	task := p.options.Progress.Task("load the images of the suite into the nodes")
	if err := p.LoadImageArchive(ctx, a.images()); err != nil {
		return task.Fail(err)
	}
	task.Done("")
	return nil
}
