// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"slices"
	"sync"
	"syscall"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/e2e/internal/access"
)

// requests are what an API server had to authorize, each once.
type requests struct {
	mu  sync.Mutex
	all []access.Request
}

// Requests returns the requests of the clients of the cluster, each once, as an
// API server authorizes them.
func (c *Cluster) Requests() []access.Request {
	c.requests.mu.Lock()
	defer c.requests.mu.Unlock()
	return slices.Clone(c.requests.all)
}

func (r *requests) add(q access.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.all, q) {
		r.all = append(r.all, q)
	}
}

// record records a request of the fake clientset, which other reactors handle.
func (c *Cluster) record(action clienttesting.Action) (bool, runtime.Object, error) {
	q := access.Request{
		Verb: action.GetVerb(), Group: action.GetResource().Group, Resource: action.GetResource().Resource, Namespace: action.GetNamespace(),
	}
	if sub := action.GetSubresource(); sub != "" {
		q.Resource += "/" + sub
	}
	if q.Resource == "group" || q.Resource == "resource" {
		return false, nil, nil // All users may discover the API.
	}
	// A namespace counts as an object in itself.
	if named, ok := action.(interface{ GetName() string }); ok && q.Resource == "namespaces" && q.Verb != "create" {
		q.Namespace = named.GetName()
	}
	c.requests.add(q)
	return false, nil, nil
}

// watch records a request for a watch. It answers those that follow a list, as the
// auditor makes them.
func (c *Cluster) watch(action clienttesting.Action) (bool, watch.Interface, error) {
	_, _, _ = c.record(action)
	restrictions := action.(clienttesting.WatchAction).GetWatchRestrictions()
	if action.GetNamespace() != metav1.NamespaceAll || restrictions.ResourceVersion == "" {
		return false, nil, nil
	}
	started, err := c.tracker.watchSince(action.GetResource(), restrictions.ResourceVersion)
	return true, started, err
}

// refuse fails the requests of a client that cannot reach the API server.
func (c *Cluster) refuse(clienttesting.Action) (bool, runtime.Object, error) {
	if c.Unreachable != nil && c.Unreachable() {
		return true, nil, syscall.ECONNREFUSED
	}
	return false, nil, nil
}
