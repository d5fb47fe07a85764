// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"math"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/suite"
)

// wrongTemplates are clusters that handle templates, or the claims from them,
// incorrectly.
var wrongTemplates = wrong.Table{
	"no claims are created": {
		Options: wrong.With(fakecluster.ControllerMistakes{MakesNoClaims: true}), Spec: "generated-claims-belong-to-their-pod",
		Want: []string{"the status of pod", "should have a claim for each of its entries"},
	},
	"claims have no controller": {
		Options: mismakes(func(_ *corev1.Pod, c *resourceapi.ResourceClaim) { c.OwnerReferences[0].Controller = ptr.To(false) }), Spec: "generated-claims-belong-to-their-pod",
		Want: []string{"should have a controller"},
	},
	"claims belong to another pod": {
		Options: mismakes(func(_ *corev1.Pod, c *resourceapi.ResourceClaim) { c.OwnerReferences[0].Name = "another" }), Spec: "generated-claims-belong-to-their-pod",
		Want: []string{"the controller of claim", "should be the pod"},
	},
	"claims do not name their entry": {
		Options: mismakes(func(_ *corev1.Pod, c *resourceapi.ResourceClaim) {
			delete(c.Annotations, resourceapi.PodResourceClaimAnnotation)
		}), Spec: "generated-claims-belong-to-their-pod",
		Want: []string{"should name the entry"},
	},
	"claims lose the annotations of the template": {
		Options: mismakes(func(_ *corev1.Pod, c *resourceapi.ResourceClaim) { delete(c.Annotations, "draconform.dev/note") }), Spec: "generated-claims-belong-to-their-pod",
		Want: []string{"should have the annotations of its template"},
	},
	"claims lose the labels of the template": {
		Options: mismakes(func(_ *corev1.Pod, c *resourceapi.ResourceClaim) { c.Labels = nil }), Spec: "generated-claims-belong-to-their-pod",
		Want: []string{"should have the labels of its template"},
	},
	"claims have another spec than the template": {
		Options: mismakes(func(_ *corev1.Pod, c *resourceapi.ResourceClaim) { c.Spec.Devices.Requests[0].Exactly.Selectors = nil }), Spec: "generated-claims-belong-to-their-pod",
		Want: []string{"should have the spec of its template"},
	},
	"claims are named without the pod": {
		Options: mismakes(func(_ *corev1.Pod, c *resourceapi.ResourceClaim) { c.Name = "claim-" + string(c.UID) }), Spec: "generated-claims-belong-to-their-pod",
		Want: []string{"should be formed from both names"},
	},
	"the status of pods mixes up claims": {
		Options: wrong.With(fakecluster.ControllerMistakes{MisstatesClaims: func(all []corev1.PodResourceClaimStatus) {
			if len(all) == 2 {
				all[0].Name, all[1].Name = all[1].Name, all[0].Name
			}
		}}),
		Spec: "generated-claims-belong-to-their-pod", Want: []string{"of pod first"},
	},
	"the status of pods has the last claims that it lacked": {
		Options: wrong.With(fakecluster.ControllerMistakes{StatesMissingOnly: true}), Spec: "generated-claims-stay-in-status",
		Want: []string{"the status of pod pod should have a claim for each of its entries"},
	},
	"API server removes generated claims that a client omits": {
		Options: wrong.With(fakecluster.APIServerMistakes{ForgetsPodClaims: true}), Spec: "pod-status-keeps-claims",
		Want: []string{"the API server should keep the generated claim of the pod, which the written status omits"},
	},
	"claims outlive their pod": {
		Options: wrong.With(fakecluster.ControllerMistakes{KeepsOrphans: true}), Spec: "generated-claim-ends-with-waiting-pod",
		Want: []string{"should be removed, because the pod that owns it is deleted"},
	},
	"pods get the claims of former pods of their names": {
		Options: wrong.With(fakecluster.ControllerMistakes{TakesFormerClaims: true, KeepsOrphans: true}), Spec: "generated-claim-of-replaced-pod",
		Want: []string{"the next pod should have a claim of its own"},
	},
	"claims outlive pods that are replaced": {
		Options: wrong.With(fakecluster.ControllerMistakes{KeepsOrphans: true}), Spec: "generated-claim-of-replaced-pod",
		Want: []string{"should be removed, because the pod that owns it is deleted"},
	},
	"controller makes claims again until there are all templates": {
		Options: wrong.With(fakecluster.ControllerMistakes{MakesClaimsAgain: true}), Spec: "template-created-lets-pods-in",
		Want: []string{"pod both should own one claim for each of its entries"},
	},
	"claims with long names are not created": {
		Options: wrong.With(fakecluster.ControllerMistakes{ShortensNoNames: true}), Spec: "generated-claims-of-long-names",
		Want: []string{"should have a claim for each of its entries"},
	},
	"claims with long names do not name their entry": {
		Options: mismakes(func(_ *corev1.Pod, c *resourceapi.ResourceClaim) {
			c.Annotations[resourceapi.PodResourceClaimAnnotation] = "entry"
		}), Spec: "generated-claims-of-long-names",
		Want: []string{"should name its entry"},
	},
	"controller gives up if there is no template": {
		Options: wrong.With(fakecluster.ControllerMistakes{GivesUpOnTemplates: true}), Spec: "template-created-lets-pods-in",
		Want: []string{"of pod early"},
	},
	"controller gives up if there is no quota": {
		Options: wrong.With(fakecluster.ControllerMistakes{GivesUpOnQuotas: true}), Spec: "generated-claim-waits-for-quota",
		Want: []string{"the status of pod pod should have a claim for each of its entries"},
	},
	"API server accepts changes of templates": {
		Spec: "template-is-immutable", Want: []string{"the API server should reject an update of a template that changes the"},
	},
	"claims follow the template of this name": {
		Options: wrong.With(fakecluster.ControllerMistakes{UpdatesClaims: true}), Spec: "template-replaced-leaves-claims",
		Want: []string{"the claim of pod early should stay as it was created"},
	},
	"claims are created from an earlier template": {
		Options: mismakes(rememberSpec(math.MaxInt)), Spec: "template-replaced-leaves-claims",
		Want: []string{"claims of later pods should have the spec of the new template"},
	},
	"controller that is right observes the new template late": {
		Options: mismakes(rememberSpec(3)), Spec: "template-replaced-leaves-claims", Outcome: suite.Passed,
	},
}

func mismakes(change func(*corev1.Pod, *resourceapi.ResourceClaim)) fakecluster.Options {
	return wrong.With(fakecluster.ControllerMistakes{MismakesClaims: change})
}

// rememberSpec gives a number of claims the spec of the first one.
func rememberSpec(claims int) func(*corev1.Pod, *resourceapi.ResourceClaim) {
	var first *resourceapi.ResourceClaimSpec
	return func(_ *corev1.Pod, claim *resourceapi.ResourceClaim) {
		if first == nil {
			first = claim.Spec.DeepCopy()
		}
		if claims--; claims >= 0 {
			claim.Spec = *first
		}
	}
}
