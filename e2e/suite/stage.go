package suite

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/fakedriver/topology"
)

// stageLabel is on simulated nodes, with the namespace of the spec whose pods
// they are for.
const stageLabel = "draconform.dev/stage"

// Stage is where schedulers are seen at work and nothing runs: nodes that are
// Node objects only, and a driver that is no more than its ResourceSlices. What
// is on it is the spec's own, so that pods of the spec are all that uses it.
type Stage struct {
	// Driver is the name of the driver.
	Driver string
	// Class is the DeviceClass of all its devices.
	Class string
	// Nodes are the names of the nodes.
	Nodes []string

	env *Env
	// slices counts what was published.
	slices int
}

// Stage sets up a stage with so many nodes, which have the labels that are given
// for their number, from 0, if any. From then on the spec's pods go there. The
// spec must have NeedsStage.
func (e *Env) Stage(ctx context.Context, nodes int, labels ...func(node int) map[string]string) *Stage {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("setting up %d simulated nodes", nodes))
	e.stage = &Stage{Driver: e.stageDriver(), env: e}
	for i := range nodes {
		node := e.stage.node(i)
		for _, of := range labels {
			maps.Copy(node.Labels, of(i))
		}
		_, err := e.Client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		e.stage.Nodes = append(e.stage.Nodes, node.Name)
	}
	selector := fmt.Sprintf("device.driver == %q", e.stage.Driver)
	e.stage.Class = e.createClass(ctx, "", resourceapi.DeviceClassSpec{
		Selectors: []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: selector}}},
	})
	return e.stage
}

// stageDriver is the name of the driver of the spec's stage.
func (e *Env) stageDriver() string { return e.Namespace + ".draconform.dev" }

// node is a Node that is ready, for as long as nobody misses its kubelet.
func (s *Stage) node(i int) *corev1.Node {
	name := fmt.Sprintf("%s-n%02d", s.env.Namespace, i)
	labels := map[string]string{corev1.LabelHostname: name, topology.SimulatedLabel: "", stageLabel: s.env.Namespace}
	maps.Copy(labels, s.env.labels)
	room := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("64"), corev1.ResourceMemory: resource.MustParse("256Gi"), corev1.ResourcePods: resource.MustParse("110"),
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec:       corev1.NodeSpec{Taints: []corev1.Taint{{Key: topology.SimulatedLabel, Effect: corev1.TaintEffectNoSchedule}}},
		Status: corev1.NodeStatus{
			Capacity: room, Allocatable: room,
			Conditions: []corev1.NodeCondition{{
				Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "Simulated",
				LastHeartbeatTime: metav1.Now(), LastTransitionTime: metav1.Now(),
			}},
		},
	}
}

// place lets a pod run on the stage's nodes, with whatever a cluster taints nodes
// that have no kubelet, and nowhere else.
func (s *Stage) place(pod *corev1.Pod) {
	pod.Spec.NodeSelector = map[string]string{stageLabel: s.env.Namespace}
	pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{Operator: corev1.TolerationOpExists})
}

// Device asks for one device of the stage's driver that a CEL expression selects;
// empty means any.
func (s *Stage) Device(selector string) subject.Device {
	return subject.Device{Driver: s.Driver, Class: s.Class, Selector: subject.Selector(selector)}
}

// remove removes what is the stage's own, when its pods and claims are gone.
func (s *Stage) remove(ctx context.Context) error {
	errs := []error{s.withdraw(ctx, func(resourceapi.ResourcePool) bool { return true })}
	for _, node := range s.Nodes {
		if err := s.env.Client.CoreV1().Nodes().Delete(ctx, node, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			errs = append(errs, fmt.Errorf("remove node %s: %w", node, err))
		}
	}
	return errors.Join(errs...)
}
