package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/draconform/draconform/clusters/existing"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
)

// part describes the specs of a run that one process runs. Ginkgo runs one spec
// at a time in a process.
type part struct {
	Config Config `json:"config"`
	// Process numbers the run's processes from 1. The first is the run itself.
	Process int `json:"process"`
	// ID and Suffix are the run's.
	ID     string `json:"id"`
	Suffix string `json:"suffix"`
	Dir    string `json:"dir"`
	// Kubeconfig and Context select the cluster, which may be owned by the run.
	Kubeconfig string `json:"kubeconfig"`
	Context    string `json:"context"`
	Owned      bool   `json:"owned"`
	// Cluster and Features are the detected properties of the cluster.
	Cluster  report.Cluster `json:"cluster"`
	Features features.Set   `json:"features"`
	// Specs are the ids of the specs to run.
	Specs []string `json:"specs"`
}

// finished is the result of a spec, which a process writes as a line of JSON as
// soon as the spec finishes.
type finished struct {
	ID       string        `json:"id"`
	Outcome  suite.Outcome `json:"outcome"`
	Reason   string        `json:"reason,omitempty"`
	Started  time.Time     `json:"started"`
	Duration time.Duration `json:"duration"`
	Steps    []suite.Step  `json:"steps,omitempty"`
}

// Part runs the part of a run that the JSON read from in describes, in its own
// process, and writes the results to out. See [Config.Part].
func Part(ctx context.Context, in io.Reader, out io.Writer, specs []suite.Spec) error {
	var p part
	if err := json.NewDecoder(in).Decode(&p); err != nil {
		return fmt.Errorf("read which part to run: %w", err)
	}
	r, err := p.runner(specs)
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(out)
	specs = slices.DeleteFunc(slices.Clone(specs), func(s suite.Spec) bool { return !slices.Contains(p.Specs, s.ID) })
	drivers := r.fakes(p.Owned)
	drivers.use(specs)
	c := r.suiteConfig(r.situation(drivers, nil))
	c.Specs = specs
	c.Selection, c.Process = suite.Selection{}, p.Process
	c.Namespace = fmt.Sprintf("%s-p%d", c.Namespace, p.Process)
	told := map[string]bool{}
	finish := func(r suite.Result, _, _ int) {
		told[r.Spec.ID] = true
		// A failed write is ignored: the reader has stopped reading.
		_ = encoder.Encode(finished{r.Spec.ID, r.Outcome, r.Reason, r.Started, r.Duration, r.Steps})
	}
	c.Finished = finish
	results, err := suite.Run(ctx, c)
	for _, r := range results {
		if !told[r.Spec.ID] {
			finish(r, 0, 0)
		}
	}
	return err
}

// runner returns the run as configured for a part.
func (p part) runner(specs []suite.Spec) (*runner, error) {
	checked, err := p.Config.check(specs)
	if err != nil {
		return nil, err
	}
	checked.id, checked.suffix = p.ID, p.Suffix
	r := &runner{plan: checked, dir: p.Dir}
	r.report.Cluster, r.report.Features = p.Cluster, p.Features
	provider, err := existing.New(p.Kubeconfig, p.Context)
	if err != nil {
		return nil, err
	}
	return r, r.connect(provider.KubernetesRestConfig())
}

// connect creates the client for specs.
func (r *runner) connect(config *rest.Config) (err error) {
	// Warnings of the API server, such as those about names without dots, are
	// meant for users.
	config.WarningHandler = rest.NoWarnings{}
	// Specs poll frequently. The default of 5 requests a second would throttle
	// them.
	config.QPS, config.Burst = 100, 200
	// Lists of slices are large, and encoding them as JSON takes an API server
	// several times as long.
	config.ContentType, config.AcceptContentTypes = runtime.ContentTypeProtobuf, runtime.ContentTypeProtobuf+","+runtime.ContentTypeJSON
	r.client, err = kubernetes.NewForConfig(config)
	return err
}

// listen reads the results that a part writes and passes them on.
func listen(from io.Reader, told func(finished)) error {
	decoder := json.NewDecoder(from)
	for {
		var f finished
		err := decoder.Decode(&f)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read what a part of the run tells: %w", err)
		}
		told(f)
	}
}
