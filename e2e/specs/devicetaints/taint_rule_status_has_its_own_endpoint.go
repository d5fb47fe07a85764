// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/simulated"
	"github.com/draconform/draconform/e2e/suite/versions"
)

// taintRuleStatusHasItsOwnEndpoint creates a DeviceTaintRule that evicts nothing, and
// updates it and its status in dry runs, each also with parts that are not of the
// endpoint.
var taintRuleStatusHasItsOwnEndpoint = suite.Spec{
	ID:           "taint-rule-status-has-its-own-endpoint",
	Description:  "The API server stores the status of a DeviceTaintRule only when it is written at the endpoint of the status, with at most 8 conditions, and neither the taint nor labels there. The metadata.generation of a rule grows when its taint changes, and not when its status or its labels do.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     ruleFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Since:        "1.36", // API servers of 1.35 serve rules in v1alpha3 only.
	Requirements: []string{"5055-rule-status-is-a-subresource", "5055-rule-generations-count-changes", "5055-rule-conditions-are-limited"},
	Body: func(ctx context.Context, e *env.Env) {
		r := createStoredRule(ctx, e)
		updated := r.update(ctx, "", "another label and a condition", func(o versions.Object) { relabel(o); mark(1)(o) })
		gomega.Expect(conditionsOf(updated)).NotTo(gomega.ContainElement(marked(0)), "an update of a rule should not store its status")
		gomega.Expect(labelsOf(updated)).To(gomega.HaveKeyWithValue(changedLabel, "true"), "an update of a rule should store its labels")
		gomega.Expect(versions.GenerationOf(updated)).To(gomega.Equal(r.first), "the generation of a rule should stay when its labels change")

		updated = r.update(ctx, "", "another effect", func(o versions.Object) { taintOf(o)["effect"] = "NoSchedule" })
		gomega.Expect(versions.GenerationOf(updated)).To(gomega.BeNumerically(">", r.first), "the generation of a rule should grow when its taint changes")

		updated = r.update(ctx, "status", "another effect, another label and 8 conditions", func(o versions.Object) {
			relabel(o)
			taintOf(o)["effect"] = "NoSchedule"
			mark(8)(o)
		})
		gomega.Expect(conditionsOf(updated)).To(gomega.ContainElements(marked(0), marked(7)), "an update of the status of a rule should store its conditions")
		gomega.Expect(taintOf(updated)).To(gomega.HaveKeyWithValue("effect", "None"), "an update of the status of a rule should leave its taint as it is")
		gomega.Expect(labelsOf(updated)).NotTo(gomega.HaveKey(changedLabel), "an update of the status of a rule should leave its labels as they are")
		gomega.Expect(versions.GenerationOf(updated)).To(gomega.Equal(r.first), "the generation of a rule should stay when its status changes")

		_, err := r.api.DryRunUpdate(ctx, ruleKind, r.name, "status", mark(9))
		gomega.Expect(dryrun.InvalidFields(err)).To(gomega.ContainElement(gomega.HavePrefix("status.conditions")), "the API server should reject 9 conditions of a rule: %v", err)
	},
}

const (
	ruleKind     = "DeviceTaintRule"
	changedLabel = "draconform.dev/changed"
)

// storedRule is a DeviceTaintRule in the version in which the cluster serves it.
type storedRule struct {
	api  versions.API
	name string
	// first is the generation of the new rule.
	first float64
}

// createStoredRule creates a rule with the effect None for devices that do not exist.
func createStoredRule(ctx context.Context, e *env.Env) storedRule {
	ginkgo.GinkgoHelper()
	version, err := features.TaintRuleVersion(e.Client.Discovery())
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	r := storedRule{api: versions.Of(e, version.Version), name: e.UniqueName() + "-stored"}
	created, err := r.api.Create(ctx, ruleKind, r.name, versions.Object{
		"deviceSelector": versions.Object{"driver": simulated.DriverNames(e)[0]},
		"taint":          versions.Object{"key": "draconform.dev/worn", "effect": "None"},
	})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	e.Cleanups = append(e.Cleanups, func(ctx context.Context) error { return r.api.Delete(ctx, ruleKind, r.name) })
	r.first = versions.GenerationOf(created)
	gomega.Expect(r.first).To(gomega.BeNumerically(">", 0), "a new rule should have a generation")
	return r
}

// update changes the rule, or its status, in a dry run.
func (r storedRule) update(ctx context.Context, subresource, what string, change func(versions.Object)) versions.Object {
	ginkgo.GinkgoHelper()
	updated, err := r.api.DryRunUpdate(ctx, ruleKind, r.name, subresource, change)
	gomega.Expect(err).NotTo(gomega.HaveOccurred(), "the API server should accept an update with %s", what)
	return updated
}

func relabel(rule versions.Object) {
	rule["metadata"].(versions.Object)["labels"] = versions.Object{changedLabel: "true"}
}

// mark returns a change of the status of a rule to a number of conditions.
func mark(conditions int) func(versions.Object) {
	return func(rule versions.Object) {
		var all []any
		for i := range conditions {
			all = append(all, versions.Object{
				"type": fmt.Sprintf("draconform.dev/mark-%d", i), "status": "True", "reason": "Marked", "message": "", "lastTransitionTime": "2025-01-31T12:00:00Z",
			})
		}
		rule["status"] = versions.Object{"conditions": all}
	}
}

// marked matches a condition of mark.
func marked(i int) any {
	return gomega.HaveKeyWithValue("type", fmt.Sprintf("draconform.dev/mark-%d", i))
}

func conditionsOf(rule versions.Object) []any {
	status, _ := rule["status"].(versions.Object)
	conditions, _ := status["conditions"].([]any)
	return conditions
}

func labelsOf(rule versions.Object) versions.Object {
	labels, _ := rule["metadata"].(versions.Object)["labels"].(versions.Object)
	return labels
}

func taintOf(rule versions.Object) versions.Object {
	return rule["spec"].(versions.Object)["taint"].(versions.Object)
}
