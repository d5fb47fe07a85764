// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/internal/ours"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/install"
)

// fakes are the fake drivers in a cluster.
type fakes struct {
	*runner
	// owned states that the cluster, and everything in it, is removed with the
	// run.
	owned bool
	// withoutPartitions states that the cluster lacked partitionable devices
	// when the run began.
	withoutPartitions bool
	drivers           map[string]install.Options
	// installed are the drivers that may be present in the cluster.
	installed []install.Options
	// classic is the driver of classic DRA. It is nil if the cluster does not have
	// its image.
	classic *classicDriver
}

var (
	_ drivers            = &fakes{}
	_ operations.Drivers = &fakes{}
)

// Parts of the driver names. The run's suffix is added.
const (
	mig = "mig"
	tpu = "tpu"
	nic = "nic"
)

// fakeSubject describes the fake drivers by these parts of their names.
var fakeSubject = sync.OnceValue(func() subject.Subject { return subject.Fakes{MIG: mig, TPU: tpu, NIC: nic}.Subject() })

// fakeDevices are the devices on the nodes of each driver.
var fakeDevices = map[string]control.Devices{
	mig: {Model: "a100-40gb", Count: 1},
	tpu: {Topology: "4x4", AssignHostsByName: true},
	nic: {Model: "nic", Count: 2},
}

// wholeGPUs are the devices in clusters without partitionable devices: as many
// as specs use on one node at a time. They have no counters, because an API
// server may keep counters that the scheduler does not read.
var wholeGPUs = control.Devices{Model: "l4", Count: 4}

// fakes returns the drivers that a run may install. Their names contain the
// run's suffix.
func (r *runner) fakes(ctx context.Context, owned bool) *fakes {
	partitions, known := r.report.Features[features.Partitions]
	f := &fakes{runner: r, owned: owned, withoutPartitions: known && !partitions.Present, drivers: map[string]install.Options{}}
	for name, of := range fakeDevices {
		if name == mig && f.withoutPartitions {
			of = wholeGPUs
		}
		f.drivers[name] = install.Options{
			RunID: r.id, Namespace: "draconform-" + r.suffix + "-" + name, DriverName: fmt.Sprintf("%s-%s.draconform.dev", name, r.suffix),
			Image: r.FakedriverImage, Devices: of,
		}
	}
	f.classic = r.newClassicDriver(ctx)
	return f
}

// addTo implements [drivers].
func (f *fakes) addTo(target *env.Target) {
	target.Subject, target.Drivers, target.Versions, target.DeviceClasses = f.subject(), f, f, true
	target.SimulatedNodes = f.owned || f.SimulateNodes
	if f.classic != nil {
		target.Classic = f.classic
	}
}

func (f *fakes) subject() subject.Subject {
	name := func(of string) string { return f.drivers[of].DriverName }
	return subject.Fakes{MIG: name(mig), WithoutPartitions: f.withoutPartitions, TPU: name(tpu), NIC: name(nic)}.Subject()
}

// install implements [drivers]. It installs the drivers in parallel.
func (f *fakes) install(ctx context.Context, specs []suite.Spec) error {
	f.installed = f.of(specs)
	group, groupCtx := errgroup.WithContext(ctx)
	for _, options := range f.installed {
		group.Go(func() error { return f.installOne(groupCtx, options) })
	}
	return group.Wait()
}

// use implements [drivers]. The driver of classic DRA is that of this process.
func (f *fakes) use(ctx context.Context, specs []suite.Spec) error {
	f.installed = f.of(specs)
	if !f.usesClassic(specs) {
		return nil
	}
	return f.installOne(ctx, f.classic.options)
}

// of returns the drivers with the devices that specs use, and that of classic DRA if they
// use it.
func (f *fakes) of(specs []suite.Spec) []install.Options {
	var all []install.Options
	for _, name := range driversOf(f.subject(), specs) {
		for _, options := range f.drivers {
			if options.DriverName == name {
				all = append(all, options)
			}
		}
	}
	if f.usesClassic(specs) {
		all = append(all, f.classic.options)
	}
	return all
}

// usesClassic reports whether specs use the driver of classic DRA.
func (f *fakes) usesClassic(specs []suite.Spec) bool {
	return f.classic != nil && slices.ContainsFunc(specs, usesClassicDriver)
}

func (f *fakes) installOne(ctx context.Context, options install.Options) error {
	st := f.Progress.Task("driver %s", options.DriverName)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: options.Namespace, Labels: f.labels()}}
	// The driver writes to directories of the node.
	namespace.Labels["pod-security.kubernetes.io/enforce"] = "privileged"
	if _, err := f.client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
		return st.Fail(fmt.Errorf("create namespace %s: %w", options.Namespace, err))
	}
	ctx, cancel := context.WithTimeoutCause(ctx, installTimeout, fmt.Errorf("not ready after %s", installTimeout))
	defer cancel()
	if err := install.Install(ctx, f.client, options); err != nil {
		return st.Fail(fmt.Errorf("install driver %s: %w%s", options.DriverName, err, f.imageHint(options)))
	}
	st.Done("published")
	return nil
}

// imageHint says what to do if nodes cannot pull the image of a driver. In a cluster of
// the run they have it.
func (f *fakes) imageHint(options install.Options) string {
	if f.owned {
		return ""
	}
	return fmt.Sprintf("\nits image is %s: if nodes cannot pull it, see \"draconform images --help\"", options.Image)
}

// reportSubject implements [drivers]. There are no drivers if no spec needs one.
func (f *fakes) reportSubject() report.Subject {
	subject := report.Subject{Drivers: []string{}, Installed: len(f.installed) > 0}
	for _, options := range f.installed {
		subject.Drivers = append(subject.Drivers, options.DriverName)
	}
	return subject
}

// restore implements [drivers]. All drivers are those of the run.
func (f *fakes) restore(context.Context) error { return nil }

// uninstall implements [drivers].
func (f *fakes) uninstall(ctx context.Context) error {
	if f.Keep || f.owned && !f.handsOn {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
	defer cancel()
	var errs []error
	for _, options := range f.installed {
		errs = append(errs, install.Uninstall(ctx, f.client, options), f.removeNamespace(ctx, options.Namespace))
	}
	return errors.Join(errs...)
}

// options returns the options of an installed driver.
func (f *fakes) options(driver string) (install.Options, error) {
	i := slices.IndexFunc(f.installed, func(o install.Options) bool { return o.DriverName == driver })
	if i < 0 {
		return install.Options{}, fmt.Errorf("driver %s is not installed", driver)
	}
	return f.installed[i], nil
}

// removeNamespace removes a namespace of the run and waits until it is gone.
func (r *runner) removeNamespace(ctx context.Context, name string) error {
	st := r.Progress.Task("remove namespace %s", name)
	if err := ours.RemoveNamespace(ctx, r.client, name, r.id); err != nil {
		return st.Fail(err)
	}
	st.Done("")
	return nil
}
