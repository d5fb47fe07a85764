// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/draconform/draconform/clusters/images"
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

// preflight compares the driver files with the cluster, as "draconform driver check"
// does. It returns an error if specs would fail for another reason than the drivers.
func (r *runner) preflight(ctx context.Context) error {
	if !r.guest() {
		return nil
	}
	st := r.Progress.Task("compare the driver files with the cluster")
	found, err := preflight.Check(ctx, r.client, r.described, r.Preflight())
	if err != nil {
		return st.Fail(err)
	}
	if blocking := preflight.Blocking(found); len(blocking) > 0 {
		return st.Fail(fmt.Errorf("the cluster does not suit the driver files:\n%s", strings.Join(sentences(blocking), "\n")))
	}
	found = slices.DeleteFunc(found, func(f preflight.Finding) bool { return f.Result == preflight.OK })
	st.Done(fmt.Sprintf("%d warnings", len(found)))
	for _, text := range sentences(found) {
		r.Progress.Printf("%s", indent(text))
	}
	return nil
}

// sentences returns findings as text, each once.
func sentences(found []preflight.Finding) []string {
	var all []string
	for _, f := range found {
		if text := f.String(); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// Preflight returns the options for comparing the driver files of a configuration
// with a cluster, so that the result holds for a run.
func (c Config) Preflight() preflight.Options {
	image := cmp.Or(c.WorkloadImage, images.Workload.Ref)
	return preflight.Options{Namespace: c.Namespace, Image: image, Architectures: architectures(image), Scheduler: c.SchedulerName, NodeAgent: c.NodeAgent}
}
