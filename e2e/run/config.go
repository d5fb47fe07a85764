// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package run executes a conformance run: it provides a cluster, installs the
// suite's images and fake drivers, runs the specs, writes the report and
// removes what it created.
package run

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/gates"
	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// Providers of clusters.
const (
	Kind     = "kind"
	Existing = "existing"
)

// DefaultParallel is a number of processes that suits two cores, because specs
// spend most of their time waiting.
const DefaultParallel = 4

// Config configures a run.
type Config struct {
	// Provider is kind, for a cluster that is created for the run, or existing.
	Provider string
	// RunID is the id of the run, as [NewID] returns it. Default: a new one.
	RunID string
	// Release of a kind cluster, such as 1.37. Default: the newest.
	Release string
	// Gates of a kind cluster: default, alpha, off, or a list.
	Gates string
	// Scheduler of a kind cluster: kube-scheduler or draconform. Default:
	// kube-scheduler.
	Scheduler string
	// SchedulerName is the pods' spec.schedulerName. Empty means the default.
	SchedulerName string
	// SimulateNodes lets specs create simulated nodes in an existing cluster.
	// In a cluster of the run they always do so.
	SimulateNodes bool
	// Workers of a kind cluster. Zero means 4.
	Workers int
	// Serve are versions of the DRA API that a kind cluster serves in addition
	// to the default ones, such as resource.k8s.io/v1beta1.
	Serve []string
	// NodeImage of a kind cluster, instead of the release's.
	NodeImage string
	// Kubeconfig and Context select an existing cluster. Empty means the
	// default of kubectl, or in a pod without a kubeconfig the cluster of the
	// pod.
	Kubeconfig, Context string
	// KindCluster is the name of an existing cluster that draconform created
	// with kind. It allows the run to restart the nodes. Scheduler then states
	// which scheduler the cluster has.
	KindCluster string
	// Drivers are the paths of driver files. The run judges these drivers, which
	// run in an existing cluster. Empty means the suite's fake drivers.
	Drivers []string
	// Namespace is an existing namespace for the specs of a run with driver
	// files. Empty means one that the run creates and deletes.
	Namespace string
	// NodeAgent installs privileged pods on the nodes of an existing cluster,
	// through which specs call drivers as the kubelet does. A cluster of the run
	// has them in any case.
	NodeAgent bool
	// NodeAgentImage is the image of these pods. Default: the name of the suite's
	// own image.
	NodeAgentImage string
	// FakedriverImage and WorkloadImage are the images of pods in an existing
	// cluster. Default: the names of the suite's own images.
	FakedriverImage, WorkloadImage string
	// FeatureOverrides declare features, such as "prioritized-list=absent" or
	// "core=present", regardless of what is detected.
	FeatureOverrides []string
	// Selection selects specs.
	Selection suite.Selection
	// Claims are the claimed profiles. Skipped specs of a claimed profile fail
	// the run. Default: the profiles of which the selection skips no spec.
	Claims []string
	// Parallel is the number of processes that run independent specs in
	// parallel. Less than 2 means that all specs run one after the other.
	Parallel int
	// Worker returns the command of such a process, which must call [Worker]
	// with its standard input and output. Nil means no such processes.
	Worker func(context.Context) *exec.Cmd `json:"-"`
	// FailFast ends the run at the first failure.
	FailFast bool
	// Keep keeps all created objects after the run.
	Keep bool
	// Dir is the directory in which each run creates a subdirectory.
	Dir string
	// TimeoutScale multiplies the timeouts of specs. Zero means 1.
	TimeoutScale float64
	// Version is the version of draconform. Flags are the command-line flags
	// that reproduce the run. Both are written to the report.
	Version string
	Flags   []string
	// Progress reports progress. Nil disables it.
	Progress *progress.Reporter `json:"-"`
}

// plan is a validated configuration and the specs that it selects.
type plan struct {
	Config
	id      string // The run's id.
	suffix  string // The last part of id, short enough for names.
	release clusters.Release
	gates   gates.Set
	// described are the drivers of Config.Drivers.
	described []*driverfile.Driver
	// overrides are the parsed Config.FeatureOverrides.
	overrides features.Overrides
	// claims are Config.Claims, or the default.
	claims []string
	// specs are all specs. selected are those that Config.Selection selects.
	specs, selected []suite.Spec
	started         time.Time
}

// Check validates a configuration. Its error wraps ErrConfig.
func (c Config) Check(specs []suite.Spec) error {
	if _, err := c.plan(specs); err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return nil
}

// plan validates a configuration, sets defaults and selects the specs. Its
// errors name the known values.
func (c Config) plan(specs []suite.Spec) (*plan, error) {
	p, err := c.validate()
	if err != nil {
		return nil, err
	}
	p.specs = specs
	if p.selected, err = c.Selection.Select(specs); err != nil {
		return nil, err
	}
	p.claims, err = c.claimed(specs, p.selected)
	return p, err
}

// validate validates everything but what refers to specs, and sets defaults.
func (c Config) validate() (*plan, error) {
	p := &plan{Config: c, started: time.Now()}
	if p.Provider == "" && len(c.Drivers) > 0 {
		p.Provider = Existing
	}
	if err := oneOf("provider", &p.Provider, Kind, Existing); err != nil {
		return nil, err
	}
	if err := oneOf("scheduler", &p.Scheduler, kind.KubeScheduler, kind.DraconformScheduler); err != nil {
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
	if err := kind.CheckScheduler(p.Scheduler, p.release, p.gates); err != nil && p.Provider == Kind {
		return nil, err
	}
	if p.overrides, err = features.ParseOverrides(c.FeatureOverrides); err != nil {
		return nil, err
	}
	if wrong := validation.IsDNS1123Subdomain(c.SchedulerName); c.SchedulerName != "" && len(wrong) > 0 {
		return nil, fmt.Errorf("%q is not a valid scheduler name: %s", c.SchedulerName, strings.Join(wrong, "; "))
	}
	switch {
	case c.Parallel < 0:
		return nil, fmt.Errorf("number of processes must not be negative, not %d", c.Parallel)
	case len(c.Drivers) > 0 && p.Provider != Existing:
		return nil, fmt.Errorf("the drivers of driver files must already run in the cluster: use provider %s, not %s", Existing, p.Provider)
	case c.Namespace != "" && len(c.Drivers) == 0:
		return nil, fmt.Errorf("namespace %s is only used by runs with driver files", c.Namespace)
	case c.Namespace != "" && len(validation.IsDNS1123Label(c.Namespace)) > 0:
		return nil, fmt.Errorf("%q is not a valid name of a namespace: %s", c.Namespace, strings.Join(validation.IsDNS1123Label(c.Namespace), "; "))
	case len(c.Drivers) > 0 && c.SimulateNodes:
		return nil, errors.New("simulated nodes are not possible with driver files, because they are not nodes of these drivers")
	case c.KindCluster != "" && p.Provider != Existing:
		return nil, fmt.Errorf("the kind cluster %q needs provider %s", c.KindCluster, Existing)
	case c.Workers < 0:
		return nil, fmt.Errorf("number of workers must not be negative, not %d", c.Workers)
	case c.TimeoutScale < 0:
		return nil, fmt.Errorf("timeout scale must not be negative, not %g", c.TimeoutScale)
	case c.TimeoutScale == 0:
		p.TimeoutScale = 1
	}
	if p.described, err = driverfile.Read(c.Drivers...); err != nil {
		return nil, err
	}
	if p.FakedriverImage == "" {
		p.FakedriverImage = images.Fakedriver.Ref
	}
	if p.WorkloadImage == "" {
		p.WorkloadImage = images.Workload.Ref
	}
	if c.RunID == "" {
		p.id, p.suffix = NewID()
		return p, nil
	}
	p.id = c.RunID
	p.suffix, err = ParseID(c.RunID)
	return p, err
}

// claimed returns the profiles that the run claims.
func (c Config) claimed(specs, selected []suite.Spec) ([]string, error) {
	if len(c.Claims) > 0 {
		if _, err := (suite.Selection{Profiles: c.Claims}).Select(specs); err != nil {
			return nil, fmt.Errorf("claim: %w", err)
		}
		return c.Claims, nil
	}
	all, ran := countByProfile(specs), countByProfile(selected)
	maps.DeleteFunc(all, func(profile string, n int) bool { return ran[profile] < n })
	return slices.Sorted(maps.Keys(all)), nil
}

// countByProfile returns the number of specs of each profile, without those that
// have no effect on the conformance to it.
func countByProfile(specs []suite.Spec) map[string]int {
	counts := map[string]int{}
	for _, s := range specs {
		if s.Level != suite.Provisional {
			counts[s.Profile]++
		}
	}
	return counts
}

// oneOf validates a choice. The first known value is the default.
func oneOf(what string, value *string, known ...string) error {
	if *value == "" {
		*value = known[0]
	}
	if !slices.Contains(known, *value) {
		return fmt.Errorf("%s %q is not known, use %s", what, *value, strings.Join(known, " or "))
	}
	return nil
}

// NewID returns a new id of a run, made of the time and a random suffix, and
// the suffix separately. The id is a valid label value and can be part of
// object names.
func NewID() (id, suffix string) {
	var random [2]byte
	// Read does not return an error: crypto/rand crashes the program instead.
	_, _ = rand.Read(random[:])
	suffix = hex.EncodeToString(random[:])
	return time.Now().UTC().Format("20060102-150405-") + suffix, suffix
}

var validID = regexp.MustCompile(`^\d{8}-\d{6}-([0-9a-f]{4})$`)

// ParseID returns the suffix of an id that [NewID] has returned.
func ParseID(id string) (suffix string, err error) {
	parts := validID.FindStringSubmatch(id)
	if parts == nil {
		return "", fmt.Errorf("%q is not the id of a run, such as 20060102-150405-a1b2", id)
	}
	return parts[1], nil
}

func (p *plan) timeouts() env.Timeouts {
	t := env.DefaultTimeouts()
	for _, d := range []*time.Duration{&t.PodStart, &t.Unschedulable, &t.Stable, &t.Deletion, &t.Recovery} {
		*d = p.scaled(*d)
	}
	return t
}

// scaled scales a timeout by TimeoutScale.
func (p *plan) scaled(d time.Duration) time.Duration {
	return time.Duration(float64(d) * p.TimeoutScale)
}
