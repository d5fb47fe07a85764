// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package staticpod

// Folder is the folder of the static pod manifests on a control plane node.
const Folder = "/etc/kubernetes/manifests/"

// Kubelet contains curl's arguments for a request to the kubelet of a control plane node, up to the path of its API.
const Kubelet = "--insecure --cert /etc/kubernetes/pki/apiserver-kubelet-client.crt --key /etc/kubernetes/pki/apiserver-kubelet-client.key https://127.0.0.1:10250"

// Swap is a script that replaces the manifest of a component with $3, whether the component runs or not, and prints
// "swapped". If the manifest in the kubelet's folder equals $4, it prints nothing and does not change the manifest.
//
// The script first removes the old manifest and waits until the kubelet has forgotten its pod. If the kubelet finds the
// new manifest earlier, it retries only after ten seconds or more, possibly several times. The kubelet forgets pods in
// its housekeeping, every two seconds, mostly in the round after the one that removes the pod's folder. Until then it
// counts the pod as an orphan. A terminated API server stops listening at once. It then waits for its watches to end,
// until the kubelet kills it after 30 seconds. Clients restart these watches only on another connection. The script
// kills the API server about two seconds after it stopped listening, which leaves time for requests in flight.
const Swap = Locked + files + pods + `
rm -f etc/kubernetes/draconform-draft-$2-*
if [ -n "$4" ] && [ "$(cat "$path" 2>/dev/null)" = "$4" ]; then
  rm -f "$parked" "$stopped"
  exit
fi
printf %s "$3" >"$draft"
orphans() {
  curl --silent --max-time 2 ` + Kubelet + `/metrics |
    grep '^kubelet_working_pods{config="orphan",.*static="true"} [^0]'
}
[ ! -e "$path" ] || mv "$path" "$parked"
tries=0 refusals=0
while [ -n "$(pods $2)" ] && [ $tries -lt 450 ]; do
  tries=$((tries + 1))
  sleep 0.1
  [ "$2" = kube-apiserver ] || continue
  code=0
  curl --silent --insecure --max-time 1 --output /dev/null https://127.0.0.1:6443/livez || code=$?
  [ $code = 7 ] || continue
  refusals=$((refusals + 1))
  if [ $refusals = 15 ]; then pkill --signal KILL --exact kube-apiserver || true; fi
done
sleep 0.2 # the orphans are counted at the end of a round
while [ -n "$(orphans)" ] && [ $tries -lt 450 ]; do
  tries=$((tries + 1))
  sleep 0.1
done
mv "$draft" "$path"
rm -f "$parked" "$stopped"
echo swapped
`

// pods is a shell function that prints the UIDs of the pods of component $1 that the kubelet has folders for.
const pods = `
pods() {
  for dir in var/log/pods/kube-system_$1-*; do
    uid=${dir##*_}
    [ ! -e var/lib/kubelet/pods/$uid ] || echo $uid
  done
}
`

// KeepPods is a part of scripts that replace the kubelet. It runs after the old kubelet has stopped and before the new
// one starts. It adds the UIDs of the running pods to manifests without a UID. A kubelet derives this UID from the
// fields that its release knows. A kubelet of another release would therefore restart all static pods, including
// etcd's, and wait for an API server that waits for etcd.
const KeepPods = pods + `
for manifest in etc/kubernetes/manifests/*.yaml; do
  [ -e "$manifest" ] || continue
  ! grep -q '^  uid: ' "$manifest" || continue
  name=$(basename "$manifest" .yaml)
  for uid in $(pods "$name"); do
    (umask 077 && sed "s/^metadata:$/&\n  uid: $uid/" "$manifest" >etc/kubernetes/draconform-draft-$name-$$.yaml)
    mv etc/kubernetes/draconform-draft-$name-$$.yaml "$manifest"
    break
  done
done
`

// NewestLog is the start of scripts that read a log file of a component. It sets $log to the last written log of a
// container of the pod with UID $3, or of any pod of the component if $3 is empty. It ends the script if there is no
// log.
const NewestLog = `
cd "$1"
log=$(ls -t var/log/pods/kube-system_$2-*_${3:-*}/$2/*.log 2>/dev/null | head -n 1)
[ -n "$log" ] || exit 0
`

// LastLines is the end of scripts that begin with [NewestLog]. It prints the last lines of the newest log that is not
// empty.
const LastLines = `
for log in $(ls -t "${log%/*}"/*.log); do
  [ -s "$log" ] || continue
  tail -n 15 "$log"
  break
done
`

// LogNumber is the end of scripts that begin with [NewestLog]. It prints the number of the log, starting at 0. The
// number is the restart count of the container.
const LogNumber = `basename "$log" .log`
