// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject/preflight"
)

// ErrNotStarted is wrapped by errors for which a run with driver files has created
// nothing in the cluster: the files do not suit it, or it does not respond.
var ErrNotStarted = errors.New("the run has not started")

// notStarted marks the error of a run with driver files that has created nothing. An
// interrupted run is no such case.
func (r *runner) notStarted(ctx context.Context, err error) error {
	if err == nil || !r.guest() || ctx.Err() != nil {
		return err
	}
	return fmt.Errorf("%w: %w", ErrNotStarted, err)
}

// found returns the features of the cluster after its inspection. They are nil if
// that has failed.
func (r *runner) found(inspectErr error) features.Set {
	if inspectErr != nil {
		return nil
	}
	return r.report.Features
}

// preflight compares the driver files with the cluster, as "draconform driver check"
// does. It returns an error if specs would fail for another reason than the drivers.
func (r *runner) preflight(ctx context.Context, found features.Set) error {
	st := r.Progress.Task("compare the driver files with the cluster")
	findings, err := preflight.Check(ctx, r.client, r.described, r.preflightOptions(found))
	if err != nil {
		return st.Fail(fmt.Errorf("%w: the API server has to answer while the driver files are compared with the cluster, check it with \"kubectl get --raw /readyz\" and run again", err))
	}
	if blocking := preflight.Blocking(findings); len(blocking) > 0 {
		return st.Fail(fmt.Errorf("the cluster does not suit the driver files:\n%s", strings.Join(sentences(blocking), "\n")))
	}
	findings = slices.DeleteFunc(findings, func(f preflight.Finding) bool { return f.Result == preflight.OK })
	st.Done(fmt.Sprintf("%d warnings", len(findings)))
	for _, text := range sentences(findings) {
		r.Progress.Printf("%s", indent(text))
	}
	return nil
}

// sentences returns findings as text, each once.
func sentences(findings []preflight.Finding) []string {
	var all []string
	for _, f := range findings {
		if text := f.String(); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// preflightOptions returns what the comparison depends on, in addition to the driver
// files.
func (r *runner) preflightOptions(found features.Set) preflight.Options {
	return preflight.Options{
		Namespace: r.Namespace, Image: r.WorkloadImage, Architectures: architectures(r.WorkloadImage),
		Features: found, Scheduler: r.SchedulerName, NodeAgent: r.NodeAgent,
	}
}

// Preflight compares the driver files of a configuration with the cluster, as a run
// does before it creates anything. Errors about the configuration wrap ErrConfig.
func Preflight(ctx context.Context, c Config) ([]preflight.Finding, error) {
	p, err := c.validate()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	r := &runner{plan: p}
	cl, err := r.cluster(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.create(ctx, cl); err != nil {
		return nil, err
	}
	// Findings name the rights without which the cluster cannot be inspected.
	return preflight.Check(ctx, r.client, r.described, r.preflightOptions(r.found(r.inspect(ctx, cl))))
}

// indent indents the lines of a text more than those about a task or a spec.
func indent(text string) string {
	return "     " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n     ")
}
