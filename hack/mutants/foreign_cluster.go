// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/run"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/hack/internal/command"
	"github.com/draconform/draconform/hack/internal/draconform"
	"github.com/draconform/draconform/hack/internal/foreign"
	"github.com/draconform/draconform/hack/internal/kindrun"
)

// installTimeout bounds the wait until a driver has published its devices.
const installTimeout = 2 * time.Minute

// foreignDrivers runs specs with faulty drivers of vendors. All are in one
// cluster.
type foreignDrivers struct {
	*cluster
	// root is the root of the repository.
	root string
	// with is the driver file of a right driver that is always installed.
	with string
	// use installs a driver and returns a function that removes it. Tests replace
	// it.
	use func(ctx context.Context, i installation) (remove func(context.Context) error, err error)
}

// prepare creates a cluster with the images of all drivers, and installs the one
// without faults.
func (f *foreignDrivers) prepare(ctx context.Context, workers int, _ []fault) error {
	id, suffix, err := f.Begin()
	if err != nil {
		return err
	}
	all := []images.Image{images.Workload, images.NodeAgent, neighbour.image}
	for _, name := range foreignComponents {
		all = append(all, breakable[name].image)
	}
	if err := f.createWith(ctx, id, suffix, workers, all...); err != nil {
		return err
	}
	f.use = f.install
	i, err := neighbour.installation(f.root, f.Dir, "boards", "")
	if err != nil {
		return err
	}
	f.with = i.file
	_, err = f.install(ctx, i)
	return err
}

// control implements trial.
func (f *foreignDrivers) control(ctx context.Context, faults []fault) error {
	specs := map[string][]string{}
	for _, fault := range faults {
		specs[fault.Broken] = append(specs[fault.Broken], fault.Specs...)
	}
	var errs []error
	for _, driver := range slices.Sorted(maps.Keys(specs)) { // Some of the specs restart nodes.
		slices.Sort(specs[driver])
		must := slices.Compact(specs[driver])
		if len(must) == 0 {
			continue
		}
		f.Progress.Printf("%s without a fault: %d specs must pass", driver, len(must))
		got, err := f.judge(ctx, "without-fault-"+driver, driver, "", must)
		if err == nil {
			err = allPassed(got, must)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", driver, err))
		}
	}
	return errors.Join(errs...)
}

// together reports whether no spec that must find a fault disturbs more than the
// devices of the driver with the fault.
func together(f fault) bool {
	return !slices.ContainsFunc(specs.All(), func(s suite.Spec) bool { return s.Serial() && slices.Contains(f.Specs, s.ID) })
}

// runSpecs implements trial.
func (f *foreignDrivers) runSpecs(ctx context.Context, fault fault) (report.Report, error) {
	return f.judge(ctx, fault.Name, fault.Broken, fault.Name, fault.Specs)
}

// judge installs a driver with a fault, runs specs by its driver file, and
// removes the driver. name is the first part of all names, and the name of the
// folder with the results.
func (f *foreignDrivers) judge(ctx context.Context, name, driver, fault string, specs []string) (_ report.Report, err error) {
	i, err := breakable[driver].installation(f.root, f.Dir, name, fault)
	if err != nil {
		return report.Report{}, err
	}
	remove, err := f.use(ctx, i)
	defer func() { err = errors.Join(err, remove(ctx)) }()
	if err != nil {
		return report.Report{}, err
	}
	return f.Report(ctx, draconform.Run{Dir: name, Command: f.Draconform}, "run", "--provider", run.Existing, "--kubeconfig", f.Provider.GetKubeconfig(),
		"--context", f.Provider.GetKubectlContext(), "--kind-cluster", f.Provider.Name(), "--node-agent",
		"--driver", i.file, "--driver", f.with, "--focus", command.Exactly(specs))
}

// install creates the objects of a driver and waits until it has published its
// devices. The returned function deletes them, also after an error.
func (f *foreignDrivers) install(ctx context.Context, i installation) (remove func(context.Context) error, err error) {
	remove = func(context.Context) error { return nil }
	task := f.Progress.Task("driver %s", i.Name)
	config, err := f.Provider.RESTConfig(ctx)
	if err != nil {
		return remove, task.Fail(fmt.Errorf("connect to the cluster: %w", err))
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return remove, task.Fail(fmt.Errorf("connect to the cluster: %w", err))
	}
	remove = func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), kindrun.RemoveTimeout)
		defer cancel()
		return foreign.Delete(ctx, config, i.objects)
	}
	if err := foreign.Create(ctx, config, i.objects); err != nil {
		return remove, task.Fail(fmt.Errorf("install driver %s: %w", i.Name, err))
	}
	ctx, cancel := context.WithTimeoutCause(ctx, installTimeout, fmt.Errorf("not published after %s", installTimeout))
	defer cancel()
	if err := i.WaitUntilPublished(ctx, client); err != nil {
		return remove, task.Fail(err)
	}
	task.Done("published")
	return remove, nil
}
