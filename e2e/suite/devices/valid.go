// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devices

import (
	"context"
	"errors"
	"fmt"
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

// ExpectValidSlices asserts that the linter finds no errors in the pools of a
// driver, that the nodes that its slices name exist, and that there are some. The API
// server has validated the slices, by rules that depend on its release.
func ExpectValidSlices(ctx context.Context, e *env.Env, driver string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("checking the slices of driver " + driver)
	var problems []lint.Finding
	gomega.Eventually(ctx, func(ctx context.Context) error {
		published, err := ListSlices(ctx, e, driver)
		if err != nil {
			return err
		}
		if len(published) == 0 {
			return fmt.Errorf("driver %s publishes no ResourceSlices", driver)
		}
		problems, err = lintSlices(ctx, published)
		return errors.Join(err, problemsError(problems), checkNodes(ctx, e, published))
	}).WithTimeout(e.Timeouts.Unschedulable).Should(gomega.Succeed(), "the ResourceSlices of driver %s should be valid", driver)
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

func problemsError(problems []lint.Finding) error {
	var errs []error
	for _, p := range problems {
		errs = append(errs, fmt.Errorf("slice %s: %s: %s (rule %s)", p.Name, p.Path, p.Message, p.Rule))
	}
	return errors.Join(errs...)
}

// checkNodes returns an error about slices and devices of nodes that do not exist.
func checkNodes(ctx context.Context, e *env.Env, published []resourceapi.ResourceSlice) error {
	nodes, err := e.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list nodes: %w", err)
	}
	exists := map[string]bool{}
	for i := range nodes.Items {
		exists[nodes.Items[i].Name] = true
	}
	var errs []error
	check := func(what string, node *string) {
		if node != nil && !exists[*node] {
			errs = append(errs, fmt.Errorf("%s is of node %s, which does not exist", what, *node))
		}
	}
	for _, slice := range published {
		check("slice "+slice.Name, slice.Spec.NodeName)
		for _, device := range slice.Spec.Devices {
			check("device "+device.Name+" of slice "+slice.Name, device.NodeName)
		}
	}
	return errors.Join(errs...)
}
