// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/distribution/reference"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/gates"
	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject/driverfile"
)

// validate validates everything but what refers to specs, and sets defaults.
func (c Config) validate() (*plan, error) {
	p := &plan{Config: c, started: time.Now()}
	if p.Provider == "" && len(c.Drivers) > 0 {
		p.Provider = Existing
	}
	if err := oneOf("provider", &p.Provider, Kind, ControlPlane, Existing); err != nil {
		return nil, err
	}
	if err := p.checkScheduler(); err != nil {
		return nil, err
	}
	var err error
	if p.release = clusters.Newest(); c.Release != "" {
		if p.release, err = clusters.FindRelease(c.Release); err != nil {
			return nil, err
		}
	}
	if p.gates, err = gates.Parse(c.Gates, p.release); err != nil {
		return nil, err
	}
	if err := kind.CheckServed(c.Serve); err != nil {
		return nil, err
	}
	if p.Provider != Existing && !p.otherScheduler() {
		if err := skew.CheckScheduler(p.Scheduler, p.release, p.gates); err != nil {
			return nil, err
		}
	}
	if p.overrides, err = features.ParseOverrides(c.FeatureOverrides); err != nil {
		return nil, err
	}
	if wrong := validation.IsDNS1123Subdomain(c.SchedulerName); c.SchedulerName != "" && len(wrong) > 0 {
		return nil, fmt.Errorf("%q is not a valid scheduler name: %s", c.SchedulerName, strings.Join(wrong, "; "))
	}
	if err := p.checkUse(); err != nil {
		return nil, err
	}
	if p.TimeoutScale == 0 {
		p.TimeoutScale = 1
	}
	if p.described, err = driverfile.Read(c.Drivers...); err != nil {
		return nil, err
	}
	if err := p.setImages(); err != nil {
		return nil, err
	}
	if c.RunID == "" {
		p.id, p.suffix = NewID()
		return p, nil
	}
	p.id = c.RunID
	p.suffix, err = ParseID(c.RunID)
	return p, err
}

// setImages sets the images of pods that are not configured. A cluster of the run
// has images that are built for it.
func (p *plan) setImages() error {
	name := func(i images.Image) string { return i.Ref }
	if p.Provider == Existing {
		name = func(i images.Image) string { return i.Reference(p.ImageRegistry) }
	} else if p.ImageRegistry != "" {
		return fmt.Errorf("an image registry needs provider %s: other clusters have images that are built for them", Existing)
	}
	if _, err := reference.ParseNormalizedNamed(images.Workload.Reference(p.ImageRegistry)); err != nil {
		return fmt.Errorf("image registry %q: %w", p.ImageRegistry, err)
	}
	p.FakedriverImage = cmp.Or(p.FakedriverImage, name(images.Fakedriver))
	p.WorkloadImage = cmp.Or(p.WorkloadImage, name(images.Workload))
	p.NodeAgentImage = cmp.Or(p.NodeAgentImage, name(images.NodeAgent))
	return nil
}

// checkScheduler validates which scheduler the cluster has.
func (p *plan) checkScheduler() error {
	known := []string{skew.KubeScheduler, skew.DraconformScheduler}
	if p.Provider == ControlPlane {
		known = append(known, ExternalScheduler)
	}
	if err := oneOf("scheduler", &p.Scheduler, known...); err != nil {
		return err
	}
	switch {
	case p.SchedulerBinary == "" && p.SchedulerConfig == "":
		return nil
	case p.Provider != ControlPlane:
		return fmt.Errorf("the program and the configuration of a scheduler need provider %s, not %s", ControlPlane, p.Provider)
	case p.Scheduler == ExternalScheduler:
		return errors.New("an external scheduler has no program and no configuration, because the run does not start it")
	}
	for _, path := range []string{p.SchedulerBinary, p.SchedulerConfig} {
		if path == "" {
			continue
		}
		if info, err := os.Stat(path); err != nil || info.IsDir() {
			return fmt.Errorf("%s of the scheduler is not a file", path)
		}
	}
	return nil
}

// otherScheduler reports whether the scheduler of a control plane is neither that of
// the release nor the bundled one.
func (p *plan) otherScheduler() bool {
	return p.SchedulerBinary != "" || p.Scheduler == ExternalScheduler
}

// checkUse validates numbers, and settings that are only for some providers or
// runs.
func (p *plan) checkUse() error {
	switch {
	case p.Parallel < 0:
		return fmt.Errorf("number of processes must not be negative, not %d", p.Parallel)
	case len(p.Drivers) > 0 && p.Provider != Existing:
		return fmt.Errorf("the drivers of driver files must already run in the cluster: use provider %s, not %s", Existing, p.Provider)
	case p.Namespace != "" && len(p.Drivers) == 0:
		return fmt.Errorf("namespace %s is only used by runs with driver files", p.Namespace)
	case p.Namespace != "" && len(validation.IsDNS1123Label(p.Namespace)) > 0:
		return fmt.Errorf("%q is not a valid name of a namespace: %s", p.Namespace, strings.Join(validation.IsDNS1123Label(p.Namespace), "; "))
	case len(p.Drivers) > 0 && p.SimulateNodes:
		return errors.New("simulated nodes are not possible with driver files, because they are not nodes of these drivers")
	case p.KindCluster != "" && p.Provider != Existing:
		return fmt.Errorf("the kind cluster %q needs provider %s", p.KindCluster, Existing)
	case p.Workers < 0:
		return fmt.Errorf("number of workers must not be negative, not %d", p.Workers)
	case p.TimeoutScale < 0:
		return fmt.Errorf("timeout scale must not be negative, not %g", p.TimeoutScale)
	}
	return nil
}

// oneOf validates a choice. The first known value is the default.
func oneOf(what string, value *string, known ...string) error {
	if *value == "" {
		*value = known[0]
	}
	if !slices.Contains(known, *value) {
		return fmt.Errorf("%s %q is not known, use %s", what, *value, alternatives(known))
	}
	return nil
}

// alternatives returns "a, b or c".
func alternatives(known []string) string {
	last := len(known) - 1
	return strings.Join(known[:last], ", ") + " or " + known[last]
}
