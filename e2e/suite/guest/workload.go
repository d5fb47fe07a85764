// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package guest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// CheckWorkload starts a pod without devices for each driver, with the settings and
// the image that its file has. It returns an error if the image cannot be pulled, or
// does not run, or is not the workload's. Specs would blame the driver for that.
func (g *Guest) CheckWorkload(ctx context.Context) error {
	var tries errgroup.Group
	var checked []string
	for _, kind := range subject.Kinds() {
		device, ok := g.config.Subject.DeviceOf(kind)
		if !ok || slices.Contains(checked, device.Driver) {
			continue
		}
		checked = append(checked, device.Driver)
		name := fmt.Sprintf("try-%d", len(checked))
		tries.Go(func() error { return g.tryWorkload(ctx, kind, device.Driver, name) })
	}
	return tries.Wait()
}

// tryWorkload starts a pod as those for devices of a kind.
func (g *Guest) tryWorkload(ctx context.Context, kind subject.Kind, driver, name string) error {
	e := g.env()
	e.Subject = g.config.Subject.Only([]subject.Kind{kind})
	err := pods.Probe(ctx, e, name)
	if _, ok := errors.AsType[*pods.ImageError](err); ok {
		return fmt.Errorf("pods as those for driver %s do not run, also without devices: %w; "+
			"push the workload image of \"draconform images\" to a registry that the nodes can reach and name it with --workload-image or under pods.image of the driver file, "+
			"with pods.imagePullSecrets if the registry is private", driver, err)
	}
	if err != nil {
		return fmt.Errorf("try whether pods for driver %s run: %w", driver, err)
	}
	return nil
}
