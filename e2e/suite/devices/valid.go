// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devices

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/allocator/lint"
	"github.com/draconform/draconform/allocator/state"
	"github.com/draconform/draconform/e2e/suite/env"
)

// ExpectValidSlices waits until the linter has found no errors in each of the pools of a
// driver, of which there must be some, and the nodes that its slices name exist. The API
// server has validated the slices, by rules that depend on its release.
func ExpectValidSlices(ctx context.Context, e *env.Env, driver string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("checking the slices of driver " + driver)
	var problems []lint.Finding
	valid := map[string]bool{}
	var nodes namedNodes
	gomega.Eventually(ctx, func(ctx context.Context) error {
		published, err := ListSlices(ctx, e, driver)
		if err != nil {
			return err
		}
		if len(published) == 0 {
			return fmt.Errorf("driver %s publishes no ResourceSlices", driver)
		}
		problems, err = lintSlices(ctx, published)
		return errors.Join(err, problemsError(unlessValid(published, problems, valid)), nodes.check(ctx, e, published))
	}).WithTimeout(e.Timeouts.Recovery).Should(gomega.Succeed(), "the ResourceSlices of driver %s should be valid", driver)
}

func lintSlices(ctx context.Context, published []resourceapi.ResourceSlice) ([]lint.Finding, error) {
	var objects state.Objects
	for i := range published {
		objects.Add(&published[i])
	}
	found, err := lint.Check(ctx, &objects)
	if err != nil {
		return nil, fmt.Errorf("check slices: %w", err)
	}
	return slices.DeleteFunc(found, func(f lint.Finding) bool { return f.Severity != lint.Error || !strings.HasPrefix(f.Rule, "pool-") }), nil
}

// unlessValid returns the problems of pools that have not been valid before, by their names, and
// adds those that are. A driver with many nodes may always be changing some of its pools.
func unlessValid(published []resourceapi.ResourceSlice, problems []lint.Finding, valid map[string]bool) []lint.Finding {
	wrong, poolOf := map[string]bool{}, map[string]string{}
	for i := range published {
		poolOf[published[i].Name] = published[i].Spec.Pool.Name
	}
	for _, p := range problems {
		wrong[poolOf[p.Name]] = true
	}
	for _, pool := range poolOf {
		if !wrong[pool] {
			valid[pool] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(problems), func(p lint.Finding) bool { return valid[poolOf[p.Name]] })
}

func problemsError(problems []lint.Finding) error {
	var errs []error
	for _, p := range problems {
		errs = append(errs, fmt.Errorf("slice %s: %s: %s (rule %s)", p.Name, p.Path, p.Message, p.Rule))
	}
	return errors.Join(errs...)
}

// namedNodes has what slices and devices are of nodes that did not exist at any look. The garbage
// collector deletes the slices of a node that is gone, which takes a while, and in a large cluster
// there may always be such a node: those that are found later prove nothing.
type namedNodes map[string]string

// check looks for the nodes of slices and devices. It returns an error about those that it has
// found none of so far.
func (n *namedNodes) check(ctx context.Context, e *env.Env, published []resourceapi.ResourceSlice) error {
	nodes, err := e.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list nodes: %w", err)
	}
	exists := map[string]bool{}
	for i := range nodes.Items {
		exists[nodes.Items[i].Name] = true
	}
	absent := namedNodes{}
	look := func(what string, node *string) {
		if node == nil || exists[*node] {
			return
		}
		if before, known := (*n)[what]; *n == nil || known && before == *node {
			absent[what] = *node
		}
	}
	for _, slice := range published {
		look("slice "+slice.Name, slice.Spec.NodeName)
		for _, device := range slice.Spec.Devices {
			look("device "+device.Name+" of slice "+slice.Name, device.NodeName)
		}
	}
	*n = absent
	var errs []error
	for _, what := range slices.Sorted(maps.Keys(absent)) {
		errs = append(errs, fmt.Errorf("%s is of node %s, which does not exist", what, absent[what]))
	}
	return errors.Join(errs...)
}
