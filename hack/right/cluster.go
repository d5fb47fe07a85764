// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"

	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/hack/internal/command"
	"github.com/draconform/draconform/hack/internal/kindrun"
	switched "github.com/draconform/draconform/internal/variant"
)

// switches are the variants of the suite's programs.
var switches = kindrun.Switches{BuildTag: switched.Tag, Variable: switched.Variable, Off: "no-variant"}

// cluster is a kind cluster whose scheduler and drivers can be replaced.
type cluster struct{ kindrun.Cluster }

// prepare creates a cluster and loads the images of batches into its nodes.
func (c *cluster) prepare(ctx context.Context, workers int, all []batch) error {
	id, suffix, err := c.Begin()
	if err != nil {
		return err
	}
	if err := c.Create(ctx, "draconform-right-"+suffix, id, workers); err != nil {
		return err
	}
	return c.Load(ctx, "images with variants", imagesOf(all))
}

// imagesOf returns the images for runs without a variant, with each batch, and with
// each variant alone.
func imagesOf(all []batch) []images.Image {
	list := []images.Image{images.Workload, images.NodeAgent, switches.Image(images.Scheduler, ""), switches.Image(images.Fakedriver, "")}
	for _, b := range all {
		together := []batch{b}
		for _, v := range b.variants {
			together = append(together, alone(v))
		}
		for _, b := range together {
			if on := b.of(scheduler); len(on) > 0 {
				list = append(list, switches.Image(images.Scheduler, b.name, on...))
			}
			if on := b.of(driver, kubelet); len(on) > 0 {
				list = append(list, switches.Image(images.Fakedriver, b.name, on...))
			}
		}
	}
	return list
}

// alone returns a batch with one variant.
func alone(v variant) batch { return batch{name: v.Name, variants: []variant{v}} }

// run implements target.
func (c *cluster) run(ctx context.Context, name string, b batch, specs []string) (report.Report, error) {
	if err := c.UseScheduler(ctx, switches.Image(images.Scheduler, b.tag(scheduler))); err != nil {
		return report.Report{}, err
	}
	return c.Run(ctx, name, switches.Image(images.Fakedriver, b.tag(driver, kubelet)), kindrun.Scope{Focus: command.Exactly(specs)})
}
