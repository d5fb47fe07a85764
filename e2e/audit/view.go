package audit

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// View is what there is in a cluster. Each field is a state in which all objects
// of its kind were, and at least as new as the fields before it: a scheduler or a
// kubelet writes to a claim or a pod what it has read before.
type View struct {
	// At is when it was begun to be read.
	At         time.Time
	Claims     []resourceapi.ResourceClaim
	Slices     []resourceapi.ResourceSlice
	Classes    []resourceapi.DeviceClass
	Nodes      []corev1.Node
	Namespaces []corev1.Namespace
	Pods       []corev1.Pod
	// Earlier are the states that claims had between the last view and this one, the
	// oldest first; none if that is not known. Claims with devices of drivers that nobody
	// asked for are in none of them.
	Earlier [][]*resourceapi.ResourceClaim
	// Offered are those that slices had. Seamless says that they are known.
	Offered  [][]*resourceapi.ResourceSlice
	Seamless bool
}

// Read reads a view. No informers do it, and lists ask for the most recent state:
// only then does one that is begun after another has ended see no older one.
func Read(ctx context.Context, client kubernetes.Interface) (View, error) {
	begun, newest := time.Now(), metav1.ListOptions{}
	claims, claimsErr := client.ResourceV1().ResourceClaims("").List(ctx, newest)
	slices, slicesErr := client.ResourceV1().ResourceSlices().List(ctx, newest)
	classes, classesErr := client.ResourceV1().DeviceClasses().List(ctx, newest)
	nodes, nodesErr := client.CoreV1().Nodes().List(ctx, newest)
	namespaces, namespacesErr := client.CoreV1().Namespaces().List(ctx, newest)
	pods, podsErr := client.CoreV1().Pods("").List(ctx, newest)
	if err := errors.Join(claimsErr, slicesErr, classesErr, nodesErr, namespacesErr, podsErr); err != nil {
		return View{}, fmt.Errorf("read what is allocated: %w", err)
	}
	return View{
		At: begun, Claims: claims.Items, Slices: slices.Items, Classes: classes.Items, Nodes: nodes.Items, Namespaces: namespaces.Items, Pods: pods.Items,
	}, nil
}
