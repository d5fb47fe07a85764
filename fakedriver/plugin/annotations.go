// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	resourceclient "k8s.io/client-go/kubernetes/typed/resource/v1"
	"k8s.io/client-go/util/watchlist"

	"github.com/draconform/draconform/fakedriver/affinity"
)

// annotations adds the affinity declarations of devices, as an annotation, to
// the ResourceSlices that contain these devices.
type annotations struct {
	mu       sync.Mutex
	declared map[string]affinity.Declaration
}

func (a *annotations) set(declared map[string]affinity.Declaration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.declared = declared
}

// annotate adds the annotation to the slice. It returns true if the slice
// changed.
func (a *annotations) annotate(slice *resourceapi.ResourceSlice) (bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return affinity.Annotate(slice, a.declared)
}

// wrap returns a client that annotates every slice that it creates or updates.
// No slice exists without its annotation at any time.
func (a *annotations) wrap(client kubernetes.Interface) kubernetes.Interface {
	return annotatingClient{client, a}
}

type annotatingClient struct {
	kubernetes.Interface
	annotations *annotations
}

// ResourceV1 implements [kubernetes.Interface].
func (c annotatingClient) ResourceV1() resourceclient.ResourceV1Interface {
	return annotatingGroup{c.Interface.ResourceV1(), c.annotations}
}

// IsWatchListSemanticsUnSupported reports to informers whether the wrapped
// client supports watch-list semantics.
func (c annotatingClient) IsWatchListSemanticsUnSupported() bool {
	return watchlist.DoesClientNotSupportWatchListSemantics(c.Interface)
}

type annotatingGroup struct {
	resourceclient.ResourceV1Interface
	annotations *annotations
}

// ResourceSlices implements [resourceclient.ResourceSlicesGetter].
func (g annotatingGroup) ResourceSlices() resourceclient.ResourceSliceInterface {
	return annotatingSlices{g.ResourceV1Interface.ResourceSlices(), g.annotations}
}

type annotatingSlices struct {
	resourceclient.ResourceSliceInterface
	annotations *annotations
}

// Create implements [resourceclient.ResourceSliceInterface].
func (s annotatingSlices) Create(ctx context.Context, slice *resourceapi.ResourceSlice, options metav1.CreateOptions) (*resourceapi.ResourceSlice, error) {
	if _, err := s.annotations.annotate(slice); err != nil {
		return nil, err
	}
	return s.ResourceSliceInterface.Create(ctx, slice, options)
}

// Update implements [resourceclient.ResourceSliceInterface].
func (s annotatingSlices) Update(ctx context.Context, slice *resourceapi.ResourceSlice, options metav1.UpdateOptions) (*resourceapi.ResourceSlice, error) {
	if _, err := s.annotations.annotate(slice); err != nil {
		return nil, err
	}
	return s.ResourceSliceInterface.Update(ctx, slice, options)
}
