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

// part is what a process runs of a run's specs: Ginkgo runs one at a time.
type part struct {
	Config Config `json:"config"`
	// Process counts the run's processes, from 1. The first is the run itself.
	Process int `json:"process"`
	// ID and Suffix are the run's.
	ID     string `json:"id"`
	Suffix string `json:"suffix"`
	Dir    string `json:"dir"`
	// Kubeconfig and Context lead to the cluster, which may be the run's own.
	Kubeconfig string `json:"kubeconfig"`
	Context    string `json:"context"`
	Owned      bool   `json:"owned"`
	// Cluster and Features are what was found out about it.
	Cluster  report.Cluster `json:"cluster"`
	Features features.Set   `json:"features"`
	// Specs are the ids of those to run.
	Specs []string `json:"specs"`
}

// finished is the result of a spec, which a process tells at once: a line of JSON
// each.
type finished struct {
	ID       string        `json:"id"`
	Outcome  suite.Outcome `json:"outcome"`
	Reason   string        `json:"reason,omitempty"`
	Started  time.Time     `json:"started"`
	Duration time.Duration `json:"duration"`
	Steps    []suite.Step  `json:"steps,omitempty"`
}

// Part runs the part of a run that is described in JSON, in a process of its own,
// and tells what comes out. See [Config.Part].
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
		// Whoever does not listen any more does not want to know.
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

// runner is the run, as far as it concerns a part.
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

// connect makes the client for specs.
func (r *runner) connect(config *rest.Config) (err error) {
	// What an API server recommends, such as names without dots, is for people.
	config.WarningHandler = rest.NoWarnings{}
	// Specs look often at what they wait for. The default of 5 requests a second
	// would make them wait for themselves.
	config.QPS, config.Burst = 100, 200
	// Lists of slices are large, and JSON takes an API server several times as long.
	config.ContentType, config.AcceptContentTypes = runtime.ContentTypeProtobuf, runtime.ContentTypeProtobuf+","+runtime.ContentTypeJSON
	r.client, err = kubernetes.NewForConfig(config)
	return err
}

// listen passes on what a part tells.
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
