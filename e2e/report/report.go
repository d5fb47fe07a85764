// Package report writes what came out of a run: which cluster and driver were
// judged, each spec's outcome and reason, and the verdict.
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
)

// The version and kind of report.yaml.
const (
	APIVersion = "draconform.dev/v1alpha1"
	Kind       = "Report"
)

// File is the name of a report in the folder of its run.
const File = "report.yaml"

// Report is the content of report.yaml.
type Report struct {
	metav1.TypeMeta `json:",inline"`
	Run             Run          `json:"run"`
	Cluster         Cluster      `json:"cluster"`
	Subject         Subject      `json:"subject"`
	Features        features.Set `json:"features"`
	Specs           []Spec       `json:"specs"`
	Verdict         Verdict      `json:"verdict"`
}

// Scheduler is the one that schedules the specs' pods: draconform, where there
// is what no other has; kube-scheduler; or empty if it is not known. That a
// cluster has ours says nothing of pods that name another.
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

// Run says which run this is.
type Run struct {
	// ID is the value of the label draconform.dev/run on all that was created.
	ID       string          `json:"id"`
	Started  metav1.Time     `json:"started"`
	Duration metav1.Duration `json:"duration"`
	// Version is the version of draconform, "(devel)" if built from a checkout.
	Version string `json:"version"`
	// Flags are those of "draconform run", or of "draconform skew" for journeys,
	// that make the same run again.
	Flags []string `json:"flags,omitempty"`
	// Selection are the flags that left specs out, if any.
	Selection string `json:"selection,omitempty"`
}

// Cluster says what was judged.
type Cluster struct {
	// Provider is kind or existing.
	Provider string `json:"provider"`
	// Name of a kind cluster, or the kubeconfig's context.
	Name    string `json:"name"`
	Workers int    `json:"workers"`
	// Components are what runs there and in which release.
	Components []Component `json:"components"`
	// GateSet is what a kind cluster was asked for.
	GateSet string `json:"gateSet,omitempty"`
	// Scheduler is what a kind cluster was asked for: kube-scheduler, the
	// release's own, or draconform.
	Scheduler string `json:"scheduler,omitempty"`
	// Gates are the DRA feature gates as the API server reports them in its
	// metric kubernetes_feature_enabled.
	Gates map[string]bool `json:"gates,omitempty"`
}

// Release is that of the API server, such as v1.37.1; the one that it emulates,
// if it was told to.
func (c Cluster) Release() string { return c.Oldest("kube-apiserver") }

// Oldest is the oldest release of which there is an instance of a component; the
// one that it emulates, if it was told to. It is empty if none is known: an image
// need not have a tag that tells.
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

// Component is a part of the cluster.
type Component struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	// Image is what a component of the control plane runs.
	Image string `json:"image,omitempty"`
	// Emulates is the release whose behaviour a component of the control plane
	// was told to show, if it was.
	Emulates string `json:"emulates,omitempty"`
	// Count is how many instances run in this version.
	Count int `json:"count"`
}

// Subject are the drivers that specs used; none, if no spec needed one.
type Subject struct {
	Drivers []string `json:"drivers"`
	// Installed says that the drivers are the suite's own, installed for the
	// run.
	Installed bool `json:"installed"`
}

// Spec is what came out of one spec.
type Spec struct {
	ID       string             `json:"id"`
	Sentence string             `json:"sentence"`
	Profile  string             `json:"profile"`
	Judges   suite.Judged       `json:"judges"`
	Features []features.Feature `json:"features"`
	Outcome  suite.Outcome      `json:"outcome"`
	Reason   string             `json:"reason,omitempty"`
	// After is when it began to run, in seconds from the run's start; nil if it
	// did not run, or the report is older than this field.
	After *float64 `json:"after,omitempty"`
	// Seconds is how long it ran, the removal of its objects included.
	Seconds float64 `json:"seconds"`
	// Steps are what it did, in order.
	Steps []Step `json:"steps,omitempty"`
	// Journey is set if it is one that changes the cluster.
	Journey *Journey `json:"journey,omitempty"`
}

// Step is a part of what a spec did. It lasts until the next one begins.
type Step struct {
	// After is when it began, in seconds from the spec's start.
	After float64 `json:"after"`
	Text  string  `json:"text"`
}

// Specs turns results into their part of the report of a run that started then.
func Specs(results []suite.Result, started time.Time) []Spec {
	specs := make([]Spec, 0, len(results))
	for _, r := range results {
		s := Spec{
			ID: r.Spec.ID, Sentence: r.Spec.Sentence, Profile: r.Spec.Profile, Judges: r.Spec.Judges, Features: r.Spec.Features,
			Outcome: r.Outcome, Reason: r.Reason, Seconds: seconds(r.Duration),
		}
		if !r.Started.IsZero() {
			s.After = ptr.To(seconds(r.Started.Sub(started)))
		}
		for _, step := range r.Steps {
			s.Steps = append(s.Steps, Step{After: seconds(step.Started.Sub(r.Started)), Text: step.Text})
		}
		s.Journey = journey(r)
		specs = append(specs, s)
	}
	return specs
}

// seconds is as exact as readers care for.
func seconds(d time.Duration) float64 { return d.Round(100 * time.Millisecond).Seconds() }

// Write writes report.yaml into a folder and returns its path.
func (r Report) Write(dir string) (string, error) {
	r.TypeMeta = metav1.TypeMeta{APIVersion: APIVersion, Kind: Kind}
	content, err := yaml.Marshal(r)
	if err != nil {
		return "", fmt.Errorf("write the report: %w", err)
	}
	path := filepath.Join(dir, File)
	if err := os.WriteFile(path, content, 0o644); err != nil {
		return "", fmt.Errorf("write the report: %w", err)
	}
	return path, nil
}
