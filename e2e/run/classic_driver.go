// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/devenv"
	"github.com/draconform/draconform/fakedriver/install"
)

// Parts of the names of the driver of classic DRA and of its namespace. The name of the driver
// has at most 26 characters, because kubelets of Kubernetes 1.30 use it and a claim's UID, joined
// by an underscore, as the name of an annotation, which has at most 63.
const (
	classicName      = "ctrl"
	classicNamespace = "classic"
)

// classicProcesses is how many processes run specs with drivers of their own. Most of
// the time they wait for a controller, which looks at pods again every 30 s.
const classicProcesses = 4

// classicDevices is the number of its devices on each node. With two, a claim can keep
// one from others while a second one is free.
const classicDevices = 2

// classicDriver is the fake driver of classic DRA in a cluster of the run.
type classicDriver struct {
	*runner
	options install.Options
}

var _ operations.ClassicDriver = &classicDriver{}

// isLegacy reports whether the release is a legacy one, which does not have the API that
// the other fake drivers and the node agent use.
func (r *runner) isLegacy() bool { return clusters.IsLegacy(r.release.Minor) }

// classicImages are the images of the fake driver of classic DRA by releases.
var classicImages = map[string]*images.Image{"1.30": &images.ClassicEarlier, "1.31": &images.Classic}

// classicImage returns the image of the fake driver of classic DRA, or nil if the release
// has none, or the run cannot build it, because it does not have a checkout.
func (r *runner) classicImage(ctx context.Context) *images.Image {
	image := classicImages[r.release.Minor]
	if image == nil || images.CheckSource(ctx, *image) != nil {
		return nil
	}
	return image
}

// imagesOfSuite returns the images that pods of the run use in its own cluster.
func (r *runner) imagesOfSuite(ctx context.Context) []images.Image {
	if !r.isLegacy() {
		return []images.Image{images.Fakedriver, images.Workload, images.NodeAgent}
	}
	all := []images.Image{images.Workload}
	image := r.classicImage(ctx)
	if image == nil {
		return all
	}
	all = append(all, *image)
	for _, release := range slices.Sorted(maps.Keys(classicImages)) {
		// A journey goes on in another release.
		if other := classicImages[release]; other != image && slices.ContainsFunc(r.selected, isJourney) {
			all = append(all, *other)
		}
	}
	return all
}

func isJourney(s suite.Spec) bool { return s.Journey != nil }

// newClassicDriver returns the driver, or nil if the run cannot install it. Its image is
// only in kind clusters of the run.
func (r *runner) newClassicDriver(ctx context.Context) *classicDriver {
	image := r.classicImage(ctx)
	if r.Provider != Kind || image == nil {
		return nil
	}
	return &classicDriver{r, install.Options{
		RunID: r.id, Namespace: r.ofProcess("draconform-" + r.suffix + "-" + classicNamespace), DriverName: r.classicDriverName(r.worker),
		Image: image.Ref, Classic: fmt.Sprintf(`{"perNode":%d}`, classicDevices),
	}}
}

// classicDriverName returns the name of the driver of classic DRA that a process installs.
func (r *runner) classicDriverName(process int) string {
	number := ""
	if process > 0 {
		number = strconv.Itoa(process)
	}
	return fmt.Sprintf("%s%s-%s.draconform.dev", classicName, number, r.suffix)
}

// divideClassic returns the specs of the driver of classic DRA as the shares of processes
// that install one for themselves. It returns none if there are few of them.
func (r *runner) divideClassic(ctx context.Context, runnable []suite.Spec) []share {
	specs := slices.DeleteFunc(slices.Clone(runnable), func(s suite.Spec) bool { return !usesClassicDriver(s) || s.Journey != nil })
	if len(specs) < fewestApart || !r.hasWorkers() || r.newClassicDriver(ctx) == nil {
		return nil
	}
	return r.order.together(specs, min(classicProcesses, r.Parallel))
}

// withClassic adds the drivers that processes install for the first shares of a run to what
// the report has of drivers.
func (r *runner) withClassic(of report.Subject, shares []share) report.Subject {
	for i := range shares {
		of.Drivers, of.Installed = append(of.Drivers, r.classicDriverName(firstWorker+i)), true
	}
	return of
}

// usesClassicDriver reports whether a spec uses the driver that a run installs.
func usesClassicDriver(s suite.Spec) bool {
	return slices.Contains(s.Needs, env.NeedsClassicDriver) || slices.Contains(s.Needs, env.NeedsClassicAllocator)
}

// Name implements [operations.ClassicDriver].
func (c *classicDriver) Name() string { return c.options.DriverName }

// DevicesPerNode implements [operations.ClassicDriver].
func (c *classicDriver) DevicesPerNode() int { return classicDevices }

// Seen implements [operations.ClassicDriver].
func (c *classicDriver) Seen(variables map[string]string) ([]string, error) {
	var environment []string
	for name, value := range variables {
		environment = append(environment, name+"="+value)
	}
	devices, errs := devenv.Parse(environment)
	if len(errs) > 0 {
		return nil, errs[0]
	}
	var seen []string
	for _, d := range devices {
		if d.Driver == c.Name() {
			seen = append(seen, d.Pool+"/"+d.Device)
		}
	}
	return seen, nil
}

// Scale implements [operations.ClassicDriver].
func (c *classicDriver) Scale(ctx context.Context, instances int) error {
	ctx, cancel := context.WithTimeout(ctx, installTimeout)
	defer cancel()
	return install.ScaleControllers(ctx, c.client, c.options, instances)
}

// ChangeRelease implements [operations.ClassicDriver].
func (c *classicDriver) ChangeRelease(ctx context.Context, minor string) error {
	image := classicImages[minor]
	if image == nil {
		return fmt.Errorf("there is no driver of classic DRA for Kubernetes %s", minor)
	}
	ctx, cancel := context.WithTimeout(ctx, installTimeout)
	defer cancel()
	c.options.Image = image.Ref
	return install.ReplaceControllers(ctx, c.client, c.options)
}

// Leader implements [operations.ClassicDriver].
func (c *classicDriver) Leader(ctx context.Context) (string, error) {
	_, identity, err := install.LeadingController(ctx, c.client, c.options)
	return identity, err
}

// control performs a request of the process that works.
func (c *classicDriver) control(ctx context.Context, request func(context.Context, *control.Client) error) error {
	// The response of a process that ends may be lost.
	ctx, cancel := context.WithTimeout(ctx, exitTimeout)
	defer cancel()
	leader, _, err := install.LeadingController(ctx, c.client, c.options)
	if err != nil {
		return err
	}
	return request(ctx, leader)
}

// Kill implements [operations.ClassicDriver].
func (c *classicDriver) Kill(ctx context.Context) error {
	return c.control(ctx, func(ctx context.Context, leader *control.Client) error { return leader.Exit(ctx) })
}

// Inject implements [operations.ClassicDriver].
func (c *classicDriver) Inject(ctx context.Context, fault operations.Fault) error {
	return c.control(ctx, func(ctx context.Context, leader *control.Client) error { return leader.Inject(ctx, c.Name(), fault) })
}

// Release implements [operations.ClassicDriver].
func (c *classicDriver) Release(ctx context.Context) error {
	return c.control(ctx, func(ctx context.Context, leader *control.Client) error { return leader.Release(ctx, c.Name()) })
}

// Calls implements [operations.ClassicDriver].
func (c *classicDriver) Calls(ctx context.Context) (all []operations.Call, err error) {
	err = c.control(ctx, func(ctx context.Context, leader *control.Client) error {
		all, err = leader.Calls(ctx, c.Name(), 0)
		return err
	})
	return all, err
}
