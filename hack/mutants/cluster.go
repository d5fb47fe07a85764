package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/run"
	breaking "github.com/draconform/draconform/internal/fault"
)

const (
	// outputFile is what a run told.
	outputFile = "output.log"
	// runTimeout bounds the run of a few specs.
	runTimeout = 20 * time.Minute
	// removeTimeout is granted to the removal of the cluster, even if all was
	// interrupted.
	removeTimeout = 2 * time.Minute
)

// broken is an image of which the command has a fault. All that are of one
// command share its binary.
func broken(image images.Image, fault string) images.Image {
	image.Tags = []string{breaking.Tag}
	image.Ref = "draconform.dev/" + image.Binary() + ":no-fault"
	if fault != "" {
		image.Ref = "draconform.dev/" + image.Binary() + ":" + fault
		image.Env = []string{breaking.Variable + "=" + fault}
	}
	return image
}

// cluster is a kind cluster in which schedulers and drivers can be broken.
type cluster struct {
	provider *kind.Provider
	progress *progress.Reporter
	// dir keeps what comes out, a folder for each fault.
	dir        string
	draconform string  // the command that runs specs
	scale      float64 // of the specs' waits
}

var _ place = &cluster{}

// create makes a cluster whose nodes have the images for all faults.
func (c *cluster) create(ctx context.Context, workers int, faults []fault) error {
	st := c.progress.Stage("container engine")
	e, err := engine.Find(ctx)
	if err != nil {
		return st.Fail(err)
	}
	st.Done(e.Name() + " " + e.Version())
	id, suffix := run.NewID()
	if c.dir, err = filepath.Abs(filepath.Join(c.dir, id)); err != nil {
		return err
	}
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return fmt.Errorf("make the folder of the results: %w", err)
	}
	c.provider = kind.New(e, kind.Options{
		Name: "draconform-mutants-" + suffix, Run: id, Workers: workers,
		Kubeconfig: filepath.Join(c.dir, "kubeconfig"), Progress: c.progress,
	})
	if _, err := c.provider.Create(ctx); err != nil {
		return err
	}
	return c.loadImages(ctx, faults)
}

func (c *cluster) loadImages(ctx context.Context, faults []fault) error {
	st := c.progress.Stage("images with faults")
	all := []images.Image{images.Workload, broken(images.Scheduler, ""), broken(images.Fakedriver, "")}
	of := map[string]images.Image{scheduler: images.Scheduler, driver: images.Fakedriver}
	for _, f := range faults {
		if f.Awaits == "" {
			all = append(all, broken(of[f.Broken], f.Name))
		}
	}
	archive := filepath.Join(c.dir, "images.tar")
	defer func() { _ = os.Remove(archive) }()
	if err := images.WriteArchive(ctx, archive, func(what string) { st.Update("%s", what) }, all...); err != nil {
		return st.Fail(err)
	}
	st.Update("loading them into the nodes")
	if err := c.provider.LoadImageArchive(ctx, archive); err != nil {
		return st.Fail(err)
	}
	st.Done(fmt.Sprintf("%d built and loaded", len(all)))
	return nil
}

// remove removes the cluster, if there is one.
func (c *cluster) remove(ctx context.Context) error {
	if c.provider == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTimeout)
	defer cancel()
	st := c.progress.Stage("remove cluster %s", c.provider.Name())
	if err := c.provider.Destroy(ctx); err != nil {
		return st.Fail(err)
	}
	st.Done("")
	return nil
}

func (c *cluster) useScheduler(ctx context.Context, fault string) error {
	image := broken(images.Scheduler, fault)
	st := c.progress.Stage("scheduler %s", image.Ref)
	if err := c.provider.UseScheduler(ctx, image); err != nil {
		return st.Fail(err)
	}
	st.Done("leads")
	return nil
}

// run has a process of its own, because specs run once in a process.
func (c *cluster) run(ctx context.Context, name, driverFault string, specs []string) (report.Report, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, runTimeout, fmt.Errorf("it takes more than %s", runTimeout))
	defer cancel()
	dir := filepath.Join(c.dir, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return report.Report{}, fmt.Errorf("make the folder of fault %s: %w", name, err)
	}
	output, err := os.Create(filepath.Join(dir, outputFile))
	if err != nil {
		return report.Report{}, fmt.Errorf("keep the output of a run: %w", err)
	}
	defer func() { _ = output.Close() }()
	cmd := exec.CommandContext(ctx, c.draconform, "run", "--provider", run.Existing,
		"--kubeconfig", c.provider.GetKubeconfig(), "--context", c.provider.GetKubectlContext(), "--kind-cluster", c.provider.Name(), "--scheduler", kind.DraconformScheduler, "--simulate-nodes",
		"--fakedriver-image", broken(images.Fakedriver, driverFault).Ref, "--focus", anyOf(specs), "--artifacts", dir,
		"--timeout-scale", strconv.FormatFloat(c.scale, 'g', -1, 64))
	cmd.Stdout, cmd.Stderr = output, output
	// Interrupted, it cleans up.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = removeTimeout
	return found(ctx, dir, cmd.Run())
}

// found reads the report of the one run in a folder, which says more than how
// the run's process ended.
func found(ctx context.Context, dir string, ended error) (report.Report, error) {
	if ctx.Err() != nil {
		return report.Report{}, context.Cause(ctx)
	}
	reports, err := filepath.Glob(filepath.Join(dir, "*", report.File))
	if err != nil {
		return report.Report{}, fmt.Errorf("look for the report of a run: %w", err)
	}
	switch {
	case len(reports) == 0 && ended != nil:
		return report.Report{}, fmt.Errorf("run specs, see %s: %w", filepath.Join(dir, outputFile), ended)
	case len(reports) != 1:
		return report.Report{}, fmt.Errorf("there are %d reports and not one in %s", len(reports), dir)
	}
	return report.Read(reports[0])
}
