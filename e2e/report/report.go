// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package report defines the report of a run: the cluster and drivers, the
// outcome and reason of each spec, and the verdict.
package report

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/semver"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// The version and kind of report.yaml.
const (
	APIVersion = "draconform.dev/v1alpha1"
	Kind       = "Report"
)

// File is the name of a report in the directory of its run.
const File = "report.yaml"

// Report is the content of report.yaml.
type Report struct {
	metav1.TypeMeta `json:",inline"`
	// Digest is the digest of everything else, see [Digest]. It is empty in
	// reports that predate this field.
	Digest   string       `json:"digest,omitempty"`
	Run      Run          `json:"run"`
	Cluster  Cluster      `json:"cluster"`
	Subject  Subject      `json:"subject"`
	Features features.Set `json:"features"`
	Specs    []Spec       `json:"specs"`
	Verdict  Verdict      `json:"verdict"`
}

// Scheduler returns the scheduler of the specs' pods: draconform if sharing
// affinity is present, which only that scheduler supports. Otherwise it returns
// the scheduler of the cluster. It is empty if unknown, which includes a
// cluster with the draconform scheduler whose pods name another one.
func (r Report) Scheduler() string {
	const ours = "draconform"
	affinity, known := r.Features[features.SharingAffinity]
	if affinity.Present {
		return ours
	}
	if known && r.Cluster.Scheduler == ours {
		return ""
	}
	return r.Cluster.Scheduler
}

// Run identifies a run.
type Run struct {
	// ID is the value of the label draconform.dev/run on all created objects.
	ID       string          `json:"id"`
	Started  metav1.Time     `json:"started"`
	Duration metav1.Duration `json:"duration"`
	// Version is the version of draconform, or "(devel)" if built from a
	// checkout.
	Version string `json:"version"`
	// Flags are the flags of "draconform run", or of "draconform skew" for
	// journeys, that reproduce the run.
	Flags []string `json:"flags,omitempty"`
	// Selection are the flags that skipped specs, if any.
	Selection string `json:"selection,omitempty"`
}

// Cluster describes the cluster of a run.
type Cluster struct {
	// Provider is kind, control-plane or existing.
	Provider string `json:"provider"`
	// Name of a cluster of the run, the kubeconfig's context, or "in-cluster" for
	// the cluster of the pod in which the run took place.
	Name    string `json:"name"`
	Workers int    `json:"workers"`
	// Components are the running components and their versions.
	Components []Component `json:"components"`
	// GateSet is the requested gate set of a cluster of the run.
	GateSet string `json:"gateSet,omitempty"`
	// Scheduler is the requested scheduler of a cluster of the run: kube-scheduler,
	// which is the release's own, draconform, external, or the name of a program.
	Scheduler string `json:"scheduler,omitempty"`
	// Gates are the feature gates of DRA and of the health of devices, as the API server
	// reports them in its metric kubernetes_feature_enabled.
	Gates map[string]bool `json:"gates,omitempty"`
}

// Release returns the release of the API server, such as v1.37.1, or its
// emulation version if one is set.
func (c Cluster) Release() string { return c.Oldest("kube-apiserver") }

// Oldest returns the oldest release among the instances of a component. The
// emulation version takes precedence if one is set. It returns an empty string
// if no release is known: the tag of an image need not be a version.
func (c Cluster) Oldest(name string) string {
	var oldest string
	for _, component := range c.Components {
		release := "v" + strings.TrimPrefix(cmp.Or(component.Emulates, component.Version), "v")
		if component.Name == name && semver.IsValid(release) && (oldest == "" || semver.Compare(release, oldest) < 0) {
			oldest = release
		}
	}
	return oldest
}

// Component is a component of the cluster.
type Component struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	// Image is the image of a control plane component.
	Image string `json:"image,omitempty"`
	// Emulates is the emulation version of a control plane component, if one is
	// set.
	Emulates string `json:"emulates,omitempty"`
	// Count is the number of instances in this version.
	Count int `json:"count"`
}

// Subject are the drivers that specs used. It is empty if no spec needed one.
type Subject struct {
	Drivers []string `json:"drivers"`
	// Installed states that the drivers are fake drivers that were installed
	// for the run.
	Installed bool `json:"installed"`
	// Implementations identify the drivers for publication, in the order of
	// their driver files. It is empty for fake drivers that were installed for
	// the run.
	Implementations []Implementation `json:"implementations,omitempty"`
}

// Spec is the result of one spec.
type Spec struct {
	ID          string `json:"id"`
	Description string `json:"sentence"`
	Profile     string `json:"profile"`
	// Level is core, extended or provisional. It is empty in reports that
	// predate this field.
	Level     string             `json:"level,omitempty"`
	Component env.Component      `json:"judges"`
	Features  []features.Feature `json:"features"`
	Outcome   suite.Outcome      `json:"outcome"`
	Reason    string             `json:"reason,omitempty"`
	// After is the start time in seconds since the run's start. It is nil if
	// the spec did not run or the report predates this field.
	After *float64 `json:"after,omitempty"`
	// Seconds is the duration in seconds, including the removal of the spec's
	// objects.
	Seconds float64 `json:"seconds"`
	// Steps are its steps in order.
	Steps []Step `json:"steps,omitempty"`
	// Failure is set if the spec failed. Reports that predate this field have
	// none.
	Failure *Failure `json:"failure,omitempty"`
	// Journey is set for specs that change the cluster.
	Journey *Journey `json:"journey,omitempty"`
}

// Provisional reports whether the outcome has no effect on the verdict.
func (s Spec) Provisional() bool { return s.Level == suite.Provisional.String() }

// Failure describes when and where a spec failed.
type Failure struct {
	// After is the time of the failure in seconds since the spec's start. The
	// objects of the spec are dumped then.
	After float64 `json:"after"`
	// Namespace is the namespace of the spec's objects. It is empty if the spec
	// failed before it had one.
	Namespace string `json:"namespace,omitempty"`
}

// Step is a part of a spec. It lasts until the next one begins.
type Step struct {
	// After is the start time in seconds since the spec's start.
	After float64 `json:"after"`
	Text  string  `json:"text"`
}

// Specs converts results to the specs of the report of a run with the given
// start time.
func Specs(results []suite.Result, started time.Time) []Spec {
	specs := make([]Spec, 0, len(results))
	for _, r := range results {
		s := Spec{
			ID: r.Spec.ID, Description: r.Spec.Description, Profile: r.Spec.Profile, Level: r.Spec.Level.String(), Component: r.Spec.Component, Features: r.Spec.Features,
			Outcome: r.Outcome, Reason: r.Reason, Seconds: seconds(r.Duration),
		}
		if !r.Started.IsZero() {
			s.After = ptr.To(seconds(r.Started.Sub(started)))
		}
		for _, step := range r.Steps {
			s.Steps = append(s.Steps, Step{After: seconds(step.Started.Sub(r.Started)), Text: step.Text})
		}
		if !r.FailedAt.IsZero() {
			s.Failure = &Failure{After: seconds(r.FailedAt.Sub(r.Started)), Namespace: r.Namespace}
		}
		s.Journey = newJourney(r)
		specs = append(specs, s)
	}
	return specs
}

// seconds rounds to a precision of 100 milliseconds.
func seconds(d time.Duration) float64 { return d.Round(100 * time.Millisecond).Seconds() }

// Write writes report.yaml, with its digest, into a directory and returns its
// path.
func (r Report) Write(dir string) (string, error) {
	content, err := r.marshal()
	if err != nil {
		return "", fmt.Errorf("write the report: %w", err)
	}
	path := filepath.Join(dir, File)
	if err := os.WriteFile(path, content, 0o644); err != nil {
		return "", fmt.Errorf("write the report: %w", err)
	}
	return path, nil
}

// marshal returns the content of report.yaml.
func (r Report) marshal() ([]byte, error) {
	r.TypeMeta, r.Digest = metav1.TypeMeta{APIVersion: APIVersion, Kind: Kind}, ""
	content, err := yaml.Marshal(r)
	if err != nil {
		return nil, err
	}
	if r.Digest, err = Digest(content); err != nil {
		return nil, err
	}
	return yaml.Marshal(r)
}
