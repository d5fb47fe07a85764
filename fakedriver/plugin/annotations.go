package plugin

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	resourceclient "k8s.io/client-go/kubernetes/typed/resource/v1"
	"k8s.io/client-go/util/watchlist"

	"github.com/draconform/draconform/fakedriver/affinity"
)

// annotations put what devices declare about claims that share them onto the
// slices that have these devices.
type annotations struct {
	mu    sync.Mutex
	rules map[string]affinity.Rule
}

func (a *annotations) set(rules map[string]affinity.Rule) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.rules = rules
}

// annotate tells whether it had to change the slice.
func (a *annotations) annotate(slice *resourceapi.ResourceSlice) (bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	declared := map[string]affinity.Declaration{}
	for _, device := range slice.Spec.Devices {
		if rule, ok := a.rules[device.Name]; ok && rule.Declared {
			declared[device.Name] = rule.Declaration
		}
	}
	var value []byte
	if len(declared) > 0 {
		var err error
		if value, err = json.Marshal(declared); err != nil {
			return false, fmt.Errorf("encode annotation %s: %w", affinity.Annotation, err)
		}
	}
	if slice.Annotations[affinity.Annotation] == string(value) {
		return false, nil
	}
	if value == nil {
		delete(slice.Annotations, affinity.Annotation)
		return true, nil
	}
	metav1.SetMetaDataAnnotation(&slice.ObjectMeta, affinity.Annotation, string(value))
	return true, nil
}

// wrap returns a client that annotates the slices it writes, so that none is
// ever there without its annotation.
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

// IsWatchListSemanticsUnSupported tells informers about the client behind it.
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
