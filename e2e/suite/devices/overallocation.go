// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devices

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/suite/env"
)

// ExpectNoOverallocation asserts that the allocations in the cluster are valid:
// no device is allocated twice, and no counter or capacity is exceeded.
func ExpectNoOverallocation(ctx context.Context, e *env.Env) {
	ginkgo.GinkgoHelper()
	inventory, err := GetInventory(ctx, e)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	ExpectNoOverallocationOf(ctx, e, inventory)
}

// ExpectNoOverallocationOf is [ExpectNoOverallocation] for an inventory that
// was already read.
func ExpectNoOverallocationOf(ctx context.Context, e *env.Env, inventory *audit.Inventory) {
	ginkgo.GinkgoHelper()
	problems, err := findOverallocation(ctx, e, inventory)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Expect(problems).To(gomega.BeEmpty(), "allocations in the cluster should be valid")
}

// findOverallocation returns how the allocations in the cluster are invalid. It
// checks the claims of all namespaces, because devices are cluster-scoped. Among neighbours,
// what is wrong is only what claims of the spec have a part in: those of others may keep
// devices that a driver has published otherwise since.
func findOverallocation(ctx context.Context, e *env.Env, inventory *audit.Inventory) ([]string, error) {
	claims, err := e.Client.ResourceV1().ResourceClaims("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list claims: %w", err)
	}
	var problems []string
	for _, driver := range e.DriverNames() {
		problems = append(problems, inventory.Check(driver, claims.Items)...)
	}
	if e.Guest != nil {
		problems = slices.DeleteFunc(problems, func(problem string) bool { return !strings.Contains(problem, " "+e.Namespace+"/") })
	}
	return problems, nil
}

// DescribeOverallocation returns how the allocations in the cluster are
// invalid. The text begins with a semicolon and can be appended to a message.
// It is empty if the allocations are valid or cannot be checked.
func DescribeOverallocation(ctx context.Context, e *env.Env) string {
	inventory, err := GetInventory(ctx, e)
	if err != nil {
		return ""
	}
	problems, err := findOverallocation(ctx, e, inventory)
	if err != nil || len(problems) == 0 {
		return ""
	}
	return "; " + strings.Join(problems, "; ")
}
