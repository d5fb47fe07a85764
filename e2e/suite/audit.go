package suite

import (
	"context"
	"fmt"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/audit"
)

// NothingOverdrawn asserts that the allocations in the cluster are valid: no
// device is allocated twice, and no counter or capacity is exceeded.
func (e *Env) NothingOverdrawn(ctx context.Context) {
	ginkgo.GinkgoHelper()
	inventory, err := e.Inventory(ctx)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	e.nothingOverdrawn(ctx, inventory)
}

func (e *Env) nothingOverdrawn(ctx context.Context, inventory *audit.Inventory) {
	ginkgo.GinkgoHelper()
	problems, err := e.audit(ctx, inventory)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Expect(problems).To(gomega.BeEmpty(), "allocations in the cluster should agree with what its slices offer")
}

// audit checks the claims of all namespaces, because devices are
// cluster-scoped.
func (e *Env) audit(ctx context.Context, inventory *audit.Inventory) ([]string, error) {
	claims, err := e.Client.ResourceV1().ResourceClaims("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list claims: %w", err)
	}
	var problems []string
	for _, driver := range e.driverNames() {
		problems = append(problems, inventory.Check(driver, claims.Items)...)
	}
	return problems, nil
}

func (e *Env) overdraft(ctx context.Context) string {
	inventory, err := e.Inventory(ctx)
	if err != nil {
		return ""
	}
	problems, err := e.audit(ctx, inventory)
	if err != nil || len(problems) == 0 {
		return ""
	}
	return "; " + strings.Join(problems, "; ")
}
