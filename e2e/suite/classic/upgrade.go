// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/draconform/draconform/e2e/suite/env"
)

// UseVersion makes a cluster use another version of the API, such as v1beta1, because the
// release has changed. 1.32 and newer releases have no classic DRA in any version.
func (c *Cluster) UseVersion(version string) { c.version = version }

// CreateStructured is [Create] for a release without classic DRA, in the version of the API
// that it serves. The scheduler allocates all claims.
func CreateStructured(ctx context.Context, e *env.Env, version string, nodes int) *Cluster {
	ginkgo.GinkgoHelper()
	sim := createNodes(ctx, e, nodes, nil)
	c := &Cluster{Nodes: sim.Names, Simulated: sim, env: e, version: version}
	e.Cleanups = append(e.Cleanups, c.cleanUp)
	return c
}

// ExpectNoContexts asserts that no pod of any namespace has a PodSchedulingContext any more.
func (c *Cluster) ExpectNoContexts(ctx context.Context, because string) {
	ginkgo.GinkgoHelper()
	gomega.Eventually(ctx, func(ctx context.Context) ([]string, error) {
		var left []string
		all, err := list[Stored](ctx, c.env, contexts, "")
		for _, found := range all {
			left = append(left, found.Metadata.Namespace+"/"+found.Metadata.Name)
		}
		return left, err
	}).WithTimeout(c.env.Timeouts.Deletion).Should(gomega.BeEmpty(), "there should be no PodSchedulingContexts, because %s", because)
}

// ExpectContextsNotServed asserts that the API server serves PodSchedulingContexts in no
// version, so that those that are stored cannot be removed.
func (c *Cluster) ExpectContextsNotServed(ctx context.Context) {
	ginkgo.GinkgoHelper()
	for _, version := range versions {
		_, err := listIn[Stored](ctx, c.env, version, contexts, "")
		gomega.Expect(apierrors.IsNotFound(err)).To(gomega.BeTrue(), "PodSchedulingContexts should not be served in %s: %v", version, err)
	}
}

// StoreAgain updates all objects of the spec without changing their specs, so that the API
// server stores them in the version of its release. Kubernetes 1.34 cannot read those that
// releases before 1.32 have stored (kubernetes/kubernetes#132000).
func (c *Cluster) StoreAgain(ctx context.Context) {
	ginkgo.GinkgoHelper()
	for _, of := range []struct {
		resource string
		names    []string
	}{{c.resourceOfClasses(), c.created}, {claims, c.claims}, {published, c.slices}} {
		for _, name := range of.names {
			ginkgo.By(fmt.Sprintf("updating %s %s", of.resource, name))
			err := c.patch(ctx, of.resource, []string{name}, annotation)
			if !apierrors.IsNotFound(err) { // The spec has deleted it.
				gomega.Expect(err).NotTo(gomega.HaveOccurred())
			}
		}
	}
}
