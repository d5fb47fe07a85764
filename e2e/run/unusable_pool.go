package run

import (
	"context"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/lint"
	"github.com/draconform/draconform/allocator/state"
)

// poolRules are the lint rules whose violation makes a pool unusable.
var poolRules = []string{"pool-incomplete", "pool-duplicate-device", "pool-duplicate-counter-set", "pool-unknown-counter-set", "pool-unknown-counter"}

// findUnusablePool describes an unusable pool that is available on all nodes.
// It returns an empty string if there is none.
func findUnusablePool(ctx context.Context, client kubernetes.Interface) (string, error) {
	list, err := client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", fmt.Errorf("list all slices: %w", err)
	}
	type pool struct{ driver, name string }
	poolOf, everywhere := map[string]pool{}, map[pool]bool{}
	var objects state.Objects
	for i := range list.Items {
		slice := &list.Items[i]
		objects.Add(slice)
		of := pool{slice.Spec.Driver, slice.Spec.Pool.Name}
		poolOf[slice.Name] = of
		everywhere[of] = everywhere[of] || isEverywhere(slice.Spec)
	}
	found, err := lint.Check(ctx, &objects)
	if err != nil {
		return "", fmt.Errorf("check all slices: %w", err)
	}
	for _, f := range found {
		if of := poolOf[f.Name]; slices.Contains(poolRules, f.Rule) && everywhere[of] {
			return fmt.Sprintf("pool %s of driver %s is not: slice %s, %s %s", of.name, of.driver, f.Name, f.Path, f.Message), nil
		}
	}
	return "", nil
}

// isEverywhere reports whether a slice has devices that are available on all
// nodes.
func isEverywhere(spec resourceapi.ResourceSliceSpec) bool {
	return ptr.Deref(spec.AllNodes, false) || slices.ContainsFunc(spec.Devices, func(device resourceapi.Device) bool { return ptr.Deref(device.AllNodes, false) })
}
