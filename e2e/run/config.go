// Package run goes from a configuration to a verdict: it gets a cluster, brings
// in the suite's images and driver, runs the specs, writes the report and
// removes what it created.
package run

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"maps"
	"os/exec"
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
	"github.com/draconform/draconform/e2e/suite"
)

// Providers of clusters.
const (
	Kind     = "kind"
	Existing = "existing"
)

// DefaultParallel is how many processes suit two cores, as specs mostly wait.
const DefaultParallel = 4

// Config says what to run and where.
type Config struct {
	// Provider is kind, for a cluster that is made for the run, or existing.
	Provider string
	// Release of a kind cluster, such as 1.37. Default: the newest.
	Release string
	// Gates of a kind cluster: default, alpha, off, or a list.
	Gates string
	// Scheduler of a kind cluster: kube-scheduler or draconform. Default:
	// kube-scheduler.
	Scheduler string
	// SchedulerName is the pods' spec.schedulerName. Empty means the default.
	SchedulerName string
	// SimulateNodes lets specs create nodes that are simulated in an existing
	// cluster. In one of the run's own they do so anyway.
	SimulateNodes bool
	// Workers of a kind cluster. Zero means 4.
	Workers int
	// Serve are versions of the DRA API that a kind cluster serves beside the
	// default ones, such as resource.k8s.io/v1beta1.
	Serve []string
	// NodeImage of a kind cluster, instead of the release's.
	NodeImage string
	// Kubeconfig and Context choose an existing cluster. Empty means what
	// kubectl would use.
	Kubeconfig, Context string
	// KindCluster is the name of an existing cluster that draconform created
	// with kind. The run may restart its nodes then, and Scheduler says which
	// one it has.
	KindCluster string
	// FakedriverImage and WorkloadImage are what pods of an existing cluster
	// run. Default: the names that the suite's own images have.
	FakedriverImage, WorkloadImage string
	// FeatureOverrides declare features, such as "prioritized-list=absent" or
	// "core=present", whatever the cluster shows.
	FeatureOverrides []string
	// Selection chooses specs.
	Selection suite.Selection
	// Claims are profiles that are claimed: specs of theirs that are left out cost
	// the verdict. Default: those of which the selection leaves out none.
	Claims []string
	// Parallel is how many processes run specs side by side that do not disturb
	// each other. Less than 2 means that all specs run one after the other.
	Parallel int
	// Part makes the command of such a process, which must call [Part] with its
	// standard input and output. Without it there are none.
	Part func(context.Context) *exec.Cmd `json:"-"`
	// FailFast ends the run with the first failure.
	FailFast bool
	// Keep leaves everything as it is after the run.
	Keep bool
	// Dir receives a folder for each run.
	Dir string
	// TimeoutScale stretches the waits of specs. Zero means 1.
	TimeoutScale float64
	// Version of draconform, and the flags with which it makes the same run again,
	// for the report.
	Version string
	Flags   []string
	// Progress is told what goes on; nil is silent.
	Progress *progress.Reporter `json:"-"`
}

// plan is a configuration that was checked.
type plan struct {
	Config
	id      string // the run's
	suffix  string // its last part, short enough for names
	release clusters.Release
	gates   gates.Set
	// overrides are Config.FeatureOverrides.
	overrides features.Overrides
	// claims are Config.Claims, or the default.
	claims  []string
	specs   []suite.Spec
	started time.Time
}

// Check returns what is wrong with a configuration, wrapped in ErrConfig.
func (c Config) Check(specs []suite.Spec) error {
	if _, err := c.check(specs); err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return nil
}

// check completes a configuration. Its errors name what is known.
func (c Config) check(specs []suite.Spec) (*plan, error) {
	p := &plan{Config: c, specs: specs, started: time.Now()}
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
	if p.claims, err = c.claimed(specs); err != nil {
		return nil, err
	}
	if wrong := validation.IsDNS1123Subdomain(c.SchedulerName); c.SchedulerName != "" && len(wrong) > 0 {
		return nil, fmt.Errorf("%q is no name of a scheduler: %s", c.SchedulerName, strings.Join(wrong, "; "))
	}
	switch {
	case c.Parallel < 0:
		return nil, fmt.Errorf("number of processes must not be negative, not %d", c.Parallel)
	case c.KindCluster != "" && p.Provider != Existing:
		return nil, fmt.Errorf("the kind cluster %q is an existing one: use provider %s", c.KindCluster, Existing)
	case c.Workers < 0:
		return nil, fmt.Errorf("number of workers must not be negative, not %d", c.Workers)
	case c.TimeoutScale < 0:
		return nil, fmt.Errorf("timeout scale must not be negative, not %g", c.TimeoutScale)
	case c.TimeoutScale == 0:
		p.TimeoutScale = 1
	}
	if p.FakedriverImage == "" {
		p.FakedriverImage = images.Fakedriver.Ref
	}
	if p.WorkloadImage == "" {
		p.WorkloadImage = images.Workload.Ref
	}
	p.id, p.suffix = NewID()
	return p, nil
}

// claimed are the profiles that the run claims.
func (c Config) claimed(specs []suite.Spec) ([]string, error) {
	chosen, err := c.Selection.Choose(specs)
	if err != nil {
		return nil, err
	}
	if len(c.Claims) > 0 {
		if _, err := (suite.Selection{Profiles: c.Claims}).Choose(specs); err != nil {
			return nil, fmt.Errorf("claim: %w", err)
		}
		return c.Claims, nil
	}
	all, selected := map[string]int{}, map[string]int{}
	for _, s := range specs {
		all[s.Profile]++
	}
	for _, s := range chosen {
		selected[s.Profile]++
	}
	maps.DeleteFunc(all, func(profile string, n int) bool { return selected[profile] < n })
	return slices.Sorted(maps.Keys(all)), nil
}

// oneOf checks a choice; the first of the known is the default.
func oneOf(what string, value *string, known ...string) error {
	if *value == "" {
		*value = known[0]
	}
	if !slices.Contains(known, *value) {
		return fmt.Errorf("%s %q is not known, use %s", what, *value, strings.Join(known, " or "))
	}
	return nil
}

// NewID makes the id of a run: the time and a random suffix, which is returned
// by itself too. It is a valid label value and a part of object names.
func NewID() (id, suffix string) {
	var random [2]byte
	// It cannot fail: crypto/rand ends the program instead.
	_, _ = rand.Read(random[:])
	suffix = hex.EncodeToString(random[:])
	return time.Now().UTC().Format("20060102-150405-") + suffix, suffix
}

func (p *plan) timeouts() suite.Timeouts {
	t := suite.DefaultTimeouts()
	for _, d := range []*time.Duration{&t.Run, &t.Refuse, &t.Settle, &t.Gone, &t.Recover} {
		*d = p.stretched(*d)
	}
	return t
}

// stretched is a wait as long as the run's machine needs it.
func (p *plan) stretched(d time.Duration) time.Duration {
	return time.Duration(float64(d) * p.TimeoutScale)
}
