package kind

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"github.com/draconform/draconform/clusters/images"
)

// archives are the images that a cluster's nodes get, built while the cluster
// comes up: most of its creation is waiting.
type archives struct {
	dir   string
	start func()        // begins, once
	built chan struct{} // closed when all are built, or one cannot be
	err   error         // to be read when built is closed
}

// archivesOf prepares to build the scheduler, if it is not the release's own,
// and the images of the options. A failure cancels the context.
func (p *Provider) archivesOf(ctx context.Context, cancel context.CancelCauseFunc) (*archives, error) {
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

// wait returns when all are built.
func (a *archives) wait(ctx context.Context) error {
	a.start()
	select {
	case <-a.built:
		return a.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// remove removes them; what is being built must have been cancelled.
func (a *archives) remove() {
	a.start() // or nothing ever closes the channel
	<-a.built
	_ = os.RemoveAll(a.dir)
}

func (p *Provider) buildArchives(ctx context.Context, a *archives) error {
	if p.options.Scheduler != KubeScheduler {
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
	st := p.options.Progress.Stage("%s", what)
	if err := images.WriteArchive(ctx, archive, st.Update, list...); err != nil {
		return st.Fail(err)
	}
	st.Done("built")
	return nil
}

// loadImages loads the images of the options into the nodes.
func (p *Provider) loadImages(ctx context.Context, a *archives) error {
	if len(p.options.Images) == 0 {
		return nil
	}
	st := p.options.Progress.Stage("load the images of the suite into the nodes")
	if err := p.LoadImageArchive(ctx, a.images()); err != nil {
		return st.Fail(err)
	}
	st.Done("")
	return nil
}
