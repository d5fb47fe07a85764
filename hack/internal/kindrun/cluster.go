// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package kindrun runs the suite in a kind cluster whose scheduler and drivers are
// replaced by others, which are built with a build tag.
package kindrun

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/run"
	"github.com/draconform/draconform/hack/internal/draconform"
)

const (
	// runTimeout bounds the run of a few specs.
	runTimeout = 20 * time.Minute
	// RemoveTimeout bounds the removal of the cluster, which also runs after an
	// interruption.
	RemoveTimeout = 2 * time.Minute
)

// Cluster is a kind cluster whose scheduler and drivers can be replaced.
type Cluster struct {
	Progress *progress.Reporter
	// Dir contains the results, a folder for each run.
	Dir        string
	Draconform string  // the command that runs specs
	Scale      float64 // factor of the specs' timeouts
	// Timeout bounds each run. Default: 20 minutes.
	Timeout time.Duration

	// Provider is the cluster. It is nil until Create is called.
	Provider *kind.Provider
}

// Begin creates a folder for the results in Dir, which becomes Dir. It returns the
// id of the cluster and the end of its name.
func (c *Cluster) Begin() (id, suffix string, err error) {
	id, suffix = run.NewID()
	if c.Dir, err = filepath.Abs(filepath.Join(c.Dir, id)); err != nil {
		return "", "", fmt.Errorf("find the folder of the results: %w", err)
	}
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return "", "", fmt.Errorf("create the folder of the results: %w", err)
	}
	return id, suffix, nil
}

// Create creates a cluster with a name and an id, and loads images into its nodes.
func (c *Cluster) Create(ctx context.Context, name, id string, workers int, all ...images.Image) error {
	task := c.Progress.Task("container engine")
	e, err := engine.Find(ctx)
	if err != nil {
		return task.Fail(err)
	}
	task.Done(e.Name() + " " + e.Version())
	c.Provider = kind.New(e, kind.Options{
		Name: name, Run: id, Workers: workers, Images: all, KeepCompiled: true,
		Kubeconfig: filepath.Join(c.Dir, "kubeconfig"), Progress: c.Progress,
	})
	_, err = c.Provider.Create(ctx)
	return err
}

// Load builds images and loads them into the nodes. what is what they are.
func (c *Cluster) Load(ctx context.Context, what string, all []images.Image) error {
	task := c.Progress.Task("%s", what)
	archive := filepath.Join(c.Dir, "images.tar")
	defer func() { _ = os.Remove(archive) }()
	if err := images.WriteArchive(ctx, archive, task.Update, all...); err != nil {
		return task.Fail(err)
	}
	task.Update("loading into the nodes")
	if err := c.Provider.LoadImageArchive(ctx, archive); err != nil {
		return task.Fail(err)
	}
	task.Done(fmt.Sprintf("%d built and loaded", len(all)))
	return nil
}

// UseScheduler replaces the scheduler by that of an image.
func (c *Cluster) UseScheduler(ctx context.Context, image images.Image) error {
	task := c.Progress.Task("scheduler %s", image.Ref)
	if err := c.Provider.UseScheduler(ctx, image); err != nil {
		return task.Fail(err)
	}
	task.Done("leads")
	return nil
}

// Scope is what a run judges. The zero value is the whole suite.
type Scope struct {
	// Focus and First are regular expressions of ids: only the former specs run, and
	// the latter begin first. Empty means all, and none.
	Focus, First string
	// Until is that of draconform.Run.
	Until func(finished []report.Spec) bool
}

// Args returns the flags of the scope.
func (s Scope) Args() []string { return []string{"--focus", s.Focus, "--first", s.First} }

// Run runs specs with the suite's drivers from an image. name is the folder of the
// results.
func (c *Cluster) Run(ctx context.Context, name string, drivers images.Image, what Scope) (report.Report, error) {
	args := append([]string{"run", "--provider", run.Existing,
		"--kubeconfig", c.Provider.GetKubeconfig(), "--context", c.Provider.GetKubectlContext(), "--kind-cluster", c.Provider.Name(),
		"--scheduler", skew.DraconformScheduler, "--simulate-nodes", "--node-agent", "--fakedriver-image", drivers.Ref}, what.Args()...)
	return c.Report(ctx, draconform.Run{Dir: name, Command: c.Draconform, Until: what.Until}, args...)
}

// Report runs a command of draconform with these arguments and returns its report.
// The run has its command and the name of its folder.
func (c *Cluster) Report(ctx context.Context, r draconform.Run, args ...string) (report.Report, error) {
	r.Args = append(args, "--timeout-scale", strconv.FormatFloat(c.Scale, 'g', -1, 64))
	r.Dir = filepath.Join(c.Dir, r.Dir)
	r.Timeout, r.CleanUp = cmp.Or(c.Timeout, runTimeout), RemoveTimeout
	return r.Report(ctx)
}

// Remove removes the cluster if it exists.
func (c *Cluster) Remove(ctx context.Context) error {
	if c.Provider == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), RemoveTimeout)
	defer cancel()
	task := c.Progress.Task("remove cluster %s", c.Provider.Name())
	if err := c.Provider.Destroy(ctx); err != nil {
		return task.Fail(err)
	}
	task.Done("")
	return nil
}
