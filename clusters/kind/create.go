// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	kindcluster "sigs.k8s.io/kind/pkg/cluster"
	kindexec "sigs.k8s.io/kind/pkg/exec"

	"github.com/draconform/draconform/clusters/doctor"
	"github.com/draconform/draconform/clusters/engine/caps"
	"github.com/draconform/draconform/clusters/nodeimage"
	"github.com/draconform/draconform/clusters/progress"
)

// sysResource is CAP_SYS_RESOURCE of capabilities(7).
const sysResource = 24

// cleanupTimeout bounds the cleanup after a failed creation. The cleanup runs
// even if the caller's context has ended.
const cleanupTimeout = time.Minute

// Create creates the cluster, waits until its nodes are ready and returns the
// path of its kubeconfig. If it fails or the context ends, it removes
// everything that it created. The error contains the last log lines of the
// failed part.
func (p *Provider) Create(ctx context.Context, _ ...string) (string, error) {
	p.SetDefaults()
	if err := p.invalid(); err != nil {
		return "", err
	}
	if err := p.nameIsFree(ctx); err != nil {
		return "", err
	}
	h, err := p.host(ctx)
	if err != nil {
		return "", err
	}
	// A failed image build cancels the rest of the creation.
	ctx, cancel := context.WithCancelCause(ctx)
	archives, err := p.archivesOf(ctx, cancel)
	if err != nil {
		cancel(err)
		return "", err
	}
	defer archives.remove()
	loading := p.loadingOf(ctx, archives)
	defer loading.end()
	defer cancel(nil)
	image, err := p.nodeImage(ctx, archives.start)
	if err != nil {
		// If an image of the suite could not be built, that is the reason.
		if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
			return "", fmt.Errorf("%w (%w)", cause, err)
		}
		return "", err
	}
	raw, err := config(p.options, h)
	if err != nil {
		return "", err
	}
	task := p.options.Progress.TaskOf("cluster", "cluster %s: Kubernetes %s, %d workers, gates %s", p.options.Name, p.options.Release.Version, p.options.Workers, p.options.Gates.Name())
	if err := p.create(ctx, task, image, raw, loading.start); err != nil {
		return "", task.Fail(errors.Join(err, p.destroyFailed(ctx)))
	}
	task.Done("ready")
	if err := p.complete(ctx, archives, loading); err != nil {
		return "", errors.Join(err, p.destroyFailed(ctx))
	}
	return p.kubeconfig, nil
}

// nodeImage returns the image of the nodes. It calls compiled when the
// compilation for the image is finished.
func (p *Provider) nodeImage(ctx context.Context, compiled func()) (string, error) {
	if p.options.Image != "" {
		compiled()
		return p.options.Image, nil
	}
	found, err := nodeimage.Ensure(ctx, nodeimage.Options{
		Engine: p.engine, Release: p.options.Release, Progress: p.options.Progress, Compiled: compiled, KeepCompiled: p.options.KeepCompiled,
	})
	if err != nil {
		return "", err
	}
	compiled()
	return found.Ref, nil
}

// complete loads the images into a new cluster and starts its scheduler.
func (p *Provider) complete(ctx context.Context, a *archives, l *loading) error {
	if err := a.wait(ctx); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return p.useScheduler(ctx, a.scheduler()) })
	group.Go(func() error { return l.wait(ctx) })
	return group.Wait()
}

// destroyFailed removes everything that a failed creation created.
func (p *Provider) destroyFailed(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
	defer cancel()
	return p.Destroy(ctx)
}

// create runs kind, which does not accept a context. If the context ends,
// create removes the containers, which makes kind fail. joining is called when the
// workers join: all nodes can load images then, and most of the rest is waiting.
func (p *Provider) create(ctx context.Context, task *progress.Task, image string, raw []byte, joining func()) error {
	labelled, err := p.engine.WithRunLabel(ctx, image, p.options.Run)
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() {
		done <- p.kind(&taskLogger{update: task.Update, joining: joining}).Create(p.options.Name,
			kindcluster.CreateWithRawConfig(raw),
			kindcluster.CreateWithNodeImage(labelled),
			// destroyFailed removes the containers of a failed creation after
			// their logs were read.
			kindcluster.CreateWithRetain(true),
			kindcluster.CreateWithKubeconfigPath(p.options.Kubeconfig),
		)
	}()
	select {
	case err = <-done:
	case <-ctx.Done():
		cleanup, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
		defer cancel()
		removeErr := p.removeContainers(cleanup)
		select {
		case err = <-done: // kind fails because its containers were removed
		case <-cleanup.Done():
		}
		return errors.Join(fmt.Errorf("create cluster %s: %w", p.options.Name, context.Cause(ctx)), removeErr, err)
	}
	if err != nil {
		return fmt.Errorf("create cluster %s: %w", p.options.Name, withOutput(err))
	}
	p.setKubeconfig()
	task.Update("waiting for its nodes")
	return p.waitReady(ctx)
}

// withOutput adds the last lines of the output of a failed command of kind.
func withOutput(err error) error {
	failed := kindexec.RunErrorForError(err)
	if failed == nil || len(failed.Output) == 0 {
		return err
	}
	lines := strings.Split(strings.TrimSpace(string(failed.Output)), "\n")
	return fmt.Errorf("%w\n%s", err, strings.Join(lines[max(0, len(lines)-15):], "\n"))
}

func (p *Provider) nameIsFree(ctx context.Context) error {
	names, err := p.kind(nil).List()
	if err != nil {
		return fmt.Errorf("list kind clusters: %w", withOutput(err))
	}
	if !slices.Contains(names, p.options.Name) {
		return nil
	}
	ours, err := List(ctx, p.engine)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(ours, func(c Cluster) bool { return c.Name == p.options.Name }) {
		return fmt.Errorf("cluster name %q is in use: remove that cluster with \"draconform cluster delete %s\" or choose another name", p.options.Name, p.options.Name)
	}
	return fmt.Errorf("cluster name %q is in use by a kind cluster that is not draconform's: choose another name", p.options.Name)
}

// host returns the properties of the host that the configuration depends on. It
// returns an error if the disk is full.
func (p *Provider) host(ctx context.Context) (host, error) {
	info, err := p.engine.Info(ctx)
	if err != nil {
		return host{}, err
	}
	// The folder only exists if the engine runs on this machine.
	if free, err := doctor.DiskFree(info.DataRoot); err == nil && free < doctor.DiskToRun {
		return host{}, fmt.Errorf("the disk that holds %s has %.1f GiB free, a cluster needs %.0f GiB: free some, for example by removing unused images", info.DataRoot, gib(free), gib(doctor.DiskToRun))
	}
	withheld, err := caps.Withheld()
	if err != nil {
		return host{}, err
	}
	return host{cgroupV1: info.CgroupVersion == 1, withheldResources: withheld.Has(sysResource)}, nil
}

func gib(bytes uint64) float64 { return float64(bytes) / (1 << 30) }
