// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/run"
	breaking "github.com/draconform/draconform/internal/fault"
)

const (
	// runTimeout bounds the run of a few specs.
	runTimeout = 20 * time.Minute
	// removeTimeout bounds the removal of the cluster, which also runs after an
	// interruption.
	removeTimeout = 2 * time.Minute
)

// broken returns an image whose command has a fault. All images of one command
// share its binary.
func broken(image images.Image, fault string) images.Image {
	image.Tags = []string{breaking.Tag}
	image.Ref = "draconform.dev/" + image.Binary() + ":no-fault"
	if fault != "" {
		image.Ref = "draconform.dev/" + image.Binary() + ":" + fault
		image.Env = []string{breaking.Variable + "=" + fault}
	}
	return image
}

// cluster is a kind cluster whose scheduler and drivers can be replaced with
// faulty ones.
type cluster struct {
	provider *kind.Provider
	progress *progress.Reporter
	// dir contains the results, a folder for each fault.
	dir        string
	draconform string  // the command that runs specs
	scale      float64 // factor of the specs' timeouts
}

var _ target = &cluster{}

// prepare creates a cluster for faults that specs must find. For faults that
// journeys must find, it builds a command that breaks the clusters of journeys.
func (c *cluster) prepare(ctx context.Context, workers int, faults []fault) error {
	id, suffix, err := c.begin()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(faults, func(f fault) bool { return len(f.Journeys) > 0 }) {
		if err := c.buildBreaker(ctx); err != nil {
			return err
		}
	}
	faults = slices.DeleteFunc(slices.Clone(faults), func(f fault) bool { return len(f.Specs) == 0 })
	if len(faults) == 0 {
		return nil
	}
	return c.create(ctx, id, suffix, workers, faults)
}

// begin creates the folder of the results. It returns the id of the clusters.
func (c *cluster) begin() (id, suffix string, err error) {
	id, suffix = run.NewID()
	if c.dir, err = filepath.Abs(filepath.Join(c.dir, id)); err != nil {
		return "", "", err
	}
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return "", "", fmt.Errorf("create the folder of the results: %w", err)
	}
	return id, suffix, nil
}

// create creates a cluster and loads the images of all faults into its nodes.
func (c *cluster) create(ctx context.Context, id, suffix string, workers int, faults []fault) error {
	if err := c.createWith(ctx, id, suffix, workers); err != nil {
		return err
	}
	return c.loadImages(ctx, faults)
}

// createWith creates a cluster and loads images into its nodes.
func (c *cluster) createWith(ctx context.Context, id, suffix string, workers int, all ...images.Image) error {
	task := c.progress.Task("container engine")
	e, err := engine.Find(ctx)
	if err != nil {
		return task.Fail(err)
	}
	task.Done(e.Name() + " " + e.Version())
	c.provider = kind.New(e, kind.Options{
		Name: "draconform-mutants-" + suffix, Run: id, Workers: workers, Images: all,
		Kubeconfig: filepath.Join(c.dir, "kubeconfig"), Progress: c.progress,
	})
	_, err = c.provider.Create(ctx)
	return err
}

func (c *cluster) loadImages(ctx context.Context, faults []fault) error {
	task := c.progress.Task("images with faults")
	all := []images.Image{images.Workload, broken(images.Scheduler, ""), broken(images.Fakedriver, "")}
	of := map[string]images.Image{scheduler: images.Scheduler, driver: images.Fakedriver}
	for _, f := range faults {
		all = append(all, broken(of[f.Broken], f.Name))
	}
	archive := filepath.Join(c.dir, "images.tar")
	defer func() { _ = os.Remove(archive) }()
	if err := images.WriteArchive(ctx, archive, task.Update, all...); err != nil {
		return task.Fail(err)
	}
	task.Update("loading into the nodes")
	if err := c.provider.LoadImageArchive(ctx, archive); err != nil {
		return task.Fail(err)
	}
	task.Done(fmt.Sprintf("%d built and loaded", len(all)))
	return nil
}

// remove removes the cluster if it exists.
func (c *cluster) remove(ctx context.Context) error {
	if c.provider == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTimeout)
	defer cancel()
	task := c.progress.Task("remove cluster %s", c.provider.Name())
	if err := c.provider.Destroy(ctx); err != nil {
		return task.Fail(err)
	}
	task.Done("")
	return nil
}

func (c *cluster) useScheduler(ctx context.Context, fault string) error {
	image := broken(images.Scheduler, fault)
	task := c.progress.Task("scheduler %s", image.Ref)
	if err := c.provider.UseScheduler(ctx, image); err != nil {
		return task.Fail(err)
	}
	task.Done("leads")
	return nil
}
