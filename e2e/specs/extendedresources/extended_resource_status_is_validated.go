// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// extendedResourceStatusIsValidated creates a pod whose containers request an extended resource
// that nothing provides, and writes mappings into its status in dry runs.
var extendedResourceStatusIsValidated = suite.Spec{
	ID:           "extended-resource-status-is-validated",
	Description:  "The API server stores the requests of a claim that the status of a pod maps to its containers, and rejects those of containers that the pod lacks, and of extended resources that the container does not request.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Cluster,
	Needs:        simulatedNodes,
	Requirements: []string{"5004-status-is-valid"},
	Body: func(ctx context.Context, e *env.Env) {
		card, disk := string(simulated.ExtendedResource(e, "card")), string(simulated.ExtendedResource(e, "disk"))
		one := amounts{corev1.ResourceName(card): 1}
		pods.CreateWithResources(ctx, e, "pod", pods.ResourceUser{Container: "init", Init: true, Amounts: one}, pods.ResourceUser{Container: pods.MainContainer, Amounts: one})
		right := corev1.ContainerExtendedResourceRequest{ContainerName: pods.MainContainer, ResourceName: card, RequestName: "request"}
		ofInit, otherContainer, otherResource := right, right, right
		ofInit.ContainerName, otherContainer.ContainerName, otherResource.ResourceName = "init", "other", disk
		var problems []string
		for _, test := range []mapping{
			{"the container and its resource", []corev1.ContainerExtendedResourceRequest{right}, ""},
			{"the init container after it", []corev1.ContainerExtendedResourceRequest{right, ofInit}, ""},
			{"another container", []corev1.ContainerExtendedResourceRequest{otherContainer}, "status.extendedResourceClaimStatus.requestMappings[0].containerName"},
			{"another resource", []corev1.ContainerExtendedResourceRequest{otherResource}, "status.extendedResourceClaimStatus.requestMappings[0].resourceName"},
			{"another container at last", []corev1.ContainerExtendedResourceRequest{right, ofInit, otherContainer}, "status.extendedResourceClaimStatus.requestMappings[2].containerName"},
		} {
			if problem := test.check(ctx, e); problem != "" {
				problems = append(problems, test.name+": "+problem)
			}
		}
		if len(problems) > 0 {
			ginkgo.Fail("the API server should accept and reject mappings of extended resources as documented:\n" + strings.Join(problems, "\n"))
		}
	},
}

// mapping is a list of mappings in the status of a pod that an API server must store, or
// reject because of a field.
type mapping struct {
	name     string
	requests []corev1.ContainerExtendedResourceRequest
	rejected string
}

// check returns what is wrong with the API server's handling of the mapping, or an
// empty string.
func (m mapping) check(ctx context.Context, e *env.Env) string {
	ginkgo.GinkgoHelper()
	ginkgo.By("writing into the status of the pod as a dry run: " + m.name)
	status := corev1.PodExtendedResourceClaimStatus{ResourceClaimName: "claim", RequestMappings: m.requests}
	patch, err := json.Marshal(map[string]any{"status": map[string]any{"extendedResourceClaimStatus": status}})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	stored, err := e.Client.CoreV1().Pods(e.Namespace).Patch(ctx, "pod", types.MergePatchType, patch, metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}}, "status")
	switch {
	case m.rejected != "" && err == nil:
		return fmt.Sprintf("is accepted, and should be rejected because of %s", m.rejected)
	case m.rejected != "" && !slices.Contains(dryrun.InvalidFields(err), m.rejected):
		return fmt.Sprintf("should be rejected because of %s: %v", m.rejected, err)
	case m.rejected != "":
		return ""
	case err != nil:
		return fmt.Sprintf("should be accepted: %v", err)
	}
	if got := stored.Status.ExtendedResourceClaimStatus; got == nil || !slices.Equal(got.RequestMappings, status.RequestMappings) {
		return fmt.Sprintf("should be stored, and the status has %v", got)
	}
	return ""
}
