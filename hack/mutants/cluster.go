// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/hack/internal/kindrun"
	breaking "github.com/draconform/draconform/internal/fault"
)

// switches are the faults of the suite's programs.
var switches = kindrun.Switches{BuildTag: breaking.Tag, Variable: breaking.Variable, Off: "no-fault"}

// cluster is a kind cluster whose scheduler and drivers can be replaced with
// faulty ones.
type cluster struct {
	kindrun.Cluster
	// enforced are the admission policies in the cluster.
	enforced []runtime.Object
}

var _ place = &cluster{}

// prepare creates a cluster for faults that specs must find. For faults that
// journeys must find, it builds a command that breaks the clusters of journeys.
func (c *cluster) prepare(ctx context.Context, workers int, faults []fault) error {
	id, suffix, err := c.Begin()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(faults, func(f fault) bool { return len(f.Journeys) > 0 }) {
		if err := c.buildBreaker(ctx); err != nil {
			return err
		}
	}
	var all []batch
	for _, f := range faults {
		if len(f.Specs) > 0 {
			all = append(all, alone(f))
		}
	}
	if len(all) == 0 {
		return nil
	}
	return c.create(ctx, id, suffix, workers, all)
}

// prepareBatches creates a cluster for batches of faults.
func (c *cluster) prepareBatches(ctx context.Context, workers int, all []batch) error {
	id, suffix, err := c.Begin()
	if err != nil {
		return err
	}
	return c.create(ctx, id, suffix, workers, all)
}

// create creates a cluster and loads the images of all batches into its nodes.
func (c *cluster) create(ctx context.Context, id, suffix string, workers int, all []batch) error {
	if err := c.createWith(ctx, id, suffix, workers); err != nil {
		return err
	}
	return c.Load(ctx, "images with faults", imagesOf(all))
}

// createWith creates a cluster and loads images into its nodes.
func (c *cluster) createWith(ctx context.Context, id, suffix string, workers int, all ...images.Image) error {
	return c.Create(ctx, "draconform-mutants-"+suffix, id, workers, all...)
}

// imagesOf returns the images for runs without a fault and with each batch.
func imagesOf(all []batch) []images.Image {
	list := []images.Image{images.Workload, images.NodeAgent, switches.Image(images.Scheduler, ""), switches.Image(images.Fakedriver, "")}
	for _, b := range all {
		if faults := b.of(scheduler); len(faults) > 0 {
			list = append(list, switches.Image(images.Scheduler, b.name, faults...))
		}
		if faults := b.of(driver, kubelet); len(faults) > 0 {
			list = append(list, switches.Image(images.Fakedriver, b.name, faults...))
		}
	}
	return list
}

// useScheduler implements target.
func (c *cluster) useScheduler(ctx context.Context, tag string) error {
	return c.UseScheduler(ctx, switches.Image(images.Scheduler, tag))
}
