package staticpod

// Folder is where the kubelet of a control plane node finds its static pods.
const Folder = "/etc/kubernetes/manifests/"

// Kubelet are the arguments of curl on a control plane node for its kubelet, up to a path of its API.
const Kubelet = "--insecure --cert /etc/kubernetes/pki/apiserver-kubelet-client.crt --key /etc/kubernetes/pki/apiserver-kubelet-client.key https://127.0.0.1:10250"

// Swap is a script that replaces the manifest of a component by $3, whether it runs or not, and prints "swapped"; or
// nothing, and leaves all as it is, if the manifest in the kubelet's folder is $4.
//
// It first takes the old manifest away and waits until the kubelet has forgotten its pod: a kubelet that finds the new one
// before looks again only after ten seconds or more, several times if need be. It forgets a pod when it tidies up, every two
// seconds, mostly in the round after the one that removes the pod's folder; until then it counts the pod as an orphan.
// An API server that is told to end stops listening at once, and then waits for watches, which their clients only start
// again elsewhere, until the kubelet kills it after 30 seconds. Here it gets two, for the requests that it is at.
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
tries=0 deaf=0
while [ -n "$(pods $2)" ] && [ $tries -lt 450 ]; do
  tries=$((tries + 1))
  sleep 0.1
  [ "$2" = kube-apiserver ] || continue
  refused=0
  curl --silent --insecure --max-time 1 --output /dev/null https://127.0.0.1:6443/livez || refused=$?
  [ $refused = 7 ] || continue
  deaf=$((deaf + 1))
  if [ $deaf = 15 ]; then pkill --signal KILL --exact kube-apiserver || true; fi
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

// pods is a function that prints the UIDs of the pods of component $1 that the kubelet has folders for.
const pods = `
pods() {
  for dir in var/log/pods/kube-system_$1-*; do
    uid=${dir##*_}
    [ ! -e var/lib/kubelet/pods/$uid ] || echo $uid
  done
}
`

// KeepPods is a part of scripts that start another kubelet, between the end of the one before and its start: manifests
// without a UID get that of their pods. Kubelets make it of the fields that their release knows, so that one of another
// release would start all static pods again, etcd's too, and wait for an API server that waits for etcd.
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

// NewestLog is the start of scripts that look at $log, the log that was written last by a container of the component, of
// the pod with UID $3 or, if that is empty, of any. It ends the script if there is none.
const NewestLog = `
cd "$1"
log=$(ls -t var/log/pods/kube-system_$2-*_${3:-*}/$2/*.log 2>/dev/null | head -n 1)
[ -n "$log" ] || exit 0
`

// LastLines is the end of scripts that begin with [NewestLog]: it prints the end of the log, or of the one before if the
// container has said nothing yet.
const LastLines = `
for log in $(ls -t "${log%/*}"/*.log); do
  [ -s "$log" ] || continue
  tail -n 15 "$log"
  break
done
`

// LogNumber is the end of scripts that begin with [NewestLog]: it prints the number of the log, from 0, which is how many
// containers of the pod have ended.
const LogNumber = `basename "$log" .log`
